-- Deliveries that were read go after a while: this finds them.
CREATE INDEX deliveries_read ON deliveries (read_at) WHERE state = 'read';
