/*
 * what: strtok(): tokens over several clauses of one firing; what is left and what is not there
 * @@needs: root bpf
 */
#pragma D option quiet

BEGIN { trace(strtok(NULL, ",")); }
BEGIN
{
	s = "/usr/lib//dtrace/";
	printf("[%s]", strtok(s, "/"));
	printf("[%s]", strtok(NULL, "/"));
}
BEGIN
{
	printf("[%s]", this->a = strtok(NULL, "/"));
	printf("%d ", strtok(NULL, "/") == NULL);
	printf("%d [%s] [%s]\n", strtok(NULL, "/") == NULL, s, this->a);
}
BEGIN
{
	printf("[%s] ", strtok("abc", "def"));
	printf("%d ", strtok(NULL, "def") == NULL);
	printf("[%s] ", strtok(" ,a b", ", "));
	printf("[%s] ", strtok(NULL, "b"));
	printf("%d %d\n", strtok(NULL, "b") == NULL, strtok("", "b") == NULL);
	printf("[%s] %d\n", strtok("whole", ""), strtok(",,,", ",") == NULL);
}
BEGIN { self->none = ""; self->none = 0; trace(strtok(self->none, ",")); }
BEGIN { trace(strtok("a,b", self->none)); }
BEGIN { exit(0); }
END { trace(strtok(NULL, ",")); }
ERROR { printf("fault %d %d %d\n", arg2, arg4, arg5); }
