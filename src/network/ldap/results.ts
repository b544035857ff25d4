/** The results of LDAP: what OpenLDAP says of them (`ldap_err2string`), and the names of python-ldap's exceptions. */

/** One result. */
interface LdapResult {
  readonly name: string;
  readonly text: string;
}

const ROWS: readonly (readonly [code: number, name: string, text: string])[] = [
  [-7, 'FILTER_ERROR', 'Bad search filter'],
  [-5, 'TIMEOUT', 'Timed out'],
  [-1, 'SERVER_DOWN', "Can't contact LDAP server"],
  [1, 'OPERATIONS_ERROR', 'Operations error'],
  [2, 'PROTOCOL_ERROR', 'Protocol error'],
  [3, 'TIMELIMIT_EXCEEDED', 'Time limit exceeded'],
  [4, 'SIZELIMIT_EXCEEDED', 'Size limit exceeded'],
  [7, 'AUTH_UNKNOWN', 'Authentication method not supported'],
  [8, 'STRONG_AUTH_REQUIRED', 'Strong(er) authentication required'],
  [10, 'REFERRAL', 'Referral'],
  [11, 'ADMINLIMIT_EXCEEDED', 'Administrative limit exceeded'],
  [12, 'UNAVAILABLE_CRITICAL_EXTENSION', 'Critical extension is unavailable'],
  [13, 'CONFIDENTIALITY_REQUIRED', 'Confidentiality required'],
  [14, 'SASL_BIND_IN_PROGRESS', 'SASL bind in progress'],
  [16, 'NO_SUCH_ATTRIBUTE', 'No such attribute'],
  [17, 'UNDEFINED_TYPE', 'Undefined attribute type'],
  [18, 'INAPPROPRIATE_MATCHING', 'Inappropriate matching'],
  [19, 'CONSTRAINT_VIOLATION', 'Constraint violation'],
  [20, 'TYPE_OR_VALUE_EXISTS', 'Type or value exists'],
  [21, 'INVALID_SYNTAX', 'Invalid syntax'],
  [32, 'NO_SUCH_OBJECT', 'No such object'],
  [33, 'ALIAS_PROBLEM', 'Alias problem'],
  [34, 'INVALID_DN_SYNTAX', 'Invalid DN syntax'],
  [35, 'IS_LEAF', 'Entry is a leaf'],
  [36, 'ALIAS_DEREF_PROBLEM', 'Alias dereferencing problem'],
  [48, 'INAPPROPRIATE_AUTH', 'Inappropriate authentication'],
  [49, 'INVALID_CREDENTIALS', 'Invalid credentials'],
  [50, 'INSUFFICIENT_ACCESS', 'Insufficient access'],
  [51, 'BUSY', 'Server is busy'],
  [52, 'UNAVAILABLE', 'Server is unavailable'],
  [53, 'UNWILLING_TO_PERFORM', 'Server is unwilling to perform'],
  [54, 'LOOP_DETECT', 'Loop detected'],
  [64, 'NAMING_VIOLATION', 'Naming violation'],
  [65, 'OBJECT_CLASS_VIOLATION', 'Object class violation'],
  [66, 'NOT_ALLOWED_ON_NONLEAF', 'Operation not allowed on non-leaf'],
  [67, 'NOT_ALLOWED_ON_RDN', 'Operation not allowed on RDN'],
  [68, 'ALREADY_EXISTS', 'Already exists'],
  [69, 'NO_OBJECT_CLASS_MODS', 'Cannot modify object class'],
  [70, 'RESULTS_TOO_LARGE', 'Results too large'],
  [71, 'AFFECTS_MULTIPLE_DSAS', 'Operation affects multiple DSAs'],
  [80, 'OTHER', 'Other (e.g., implementation specific) error'],
];

/** The results by their codes. */
export const LDAP_RESULTS: ReadonlyMap<number, LdapResult> = new Map(
  ROWS.map(([code, name, text]) => [code, { name, text }]),
);
