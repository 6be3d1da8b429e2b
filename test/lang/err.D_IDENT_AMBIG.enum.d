/* what: a name that is a global and an enumerator of a kernel enum */
int PIDTYPE_PID; enum pid_type t;
BEGIN { t = PIDTYPE_PID; }
