/**
 * The program that asks PAM, for `python3 -I -S -c`. It reads service, name and password, each behind a NUL, from its
 * standard input, so that they stand in no list of processes and no environment, and ends with 0 when PAM says yes,
 * with 1 when it says no, and with 2 when PAM cannot be asked. It is Python because that is on every machine with
 * Salt's history and can call the system's library without a compiler; Salt does the same, with the password in the
 * environment (salt/auth/pam.py, 3006.16).
 */
export const PAM_HELPER = `
import ctypes as c, sys
service, name, password = [part for part in sys.stdin.buffer.read().split(b"\\0")][:3]
class Message(c.Structure):
    _fields_ = [("style", c.c_int), ("text", c.c_char_p)]
class Response(c.Structure):
    _fields_ = [("text", c.c_void_p), ("code", c.c_int)]
Converse = c.CFUNCTYPE(c.c_int, c.c_int, c.POINTER(c.POINTER(Message)), c.POINTER(c.c_void_p), c.c_void_p)
class Conversation(c.Structure):
    _fields_ = [("ask", Converse), ("data", c.c_void_p)]
try:
    libc, pam = c.CDLL(None), c.CDLL("libpam.so.0")
except OSError as error:
    sys.stderr.write(str(error))
    sys.exit(2)
libc.calloc.restype = libc.strdup.restype = c.c_void_p
libc.calloc.argtypes, libc.strdup.argtypes = [c.c_size_t, c.c_size_t], [c.c_char_p]
@Converse
def answer(count, messages, answers, data):
    block = libc.calloc(count, c.sizeof(Response))
    answers[0] = block
    made = c.cast(block, c.POINTER(Response))
    for i in range(count):
        if messages[i].contents.style == 1:
            made[i].text = libc.strdup(password)
    return 0
handle = c.c_void_p()
pam.pam_start.argtypes = [c.c_char_p, c.c_char_p, c.POINTER(Conversation), c.POINTER(c.c_void_p)]
for call in (pam.pam_authenticate, pam.pam_acct_mgmt, pam.pam_end):
    call.argtypes = [c.c_void_p, c.c_int]
if pam.pam_start(service, name, c.byref(Conversation(answer, None)), c.byref(handle)) != 0:
    sys.exit(2)
said = pam.pam_authenticate(handle, 0) or pam.pam_acct_mgmt(handle, 0)
pam.pam_end(handle, said)
sys.exit(1 if said else 0)
`;
