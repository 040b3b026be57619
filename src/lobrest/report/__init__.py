"""What people and other tools read: values in, text out. Files are written elsewhere."""
