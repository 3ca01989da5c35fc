"""The Spyre dialects, one module (or package) each; importing one declares its ops."""
