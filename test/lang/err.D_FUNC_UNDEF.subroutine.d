/* what: a subroutine that has no meaning here */
BEGIN { x = msgsize(0); }
