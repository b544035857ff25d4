/** How a directory is reached, as the `connect_spec` of 3006.16 salt/modules/ldap3.py says it. */
import { ArgumentError, SaltInvocationError } from '../../../errors/errors.ts';
import {
  LdapProblem,
  withEditor,
  type DirectoryEditor,
  type EditorSettings,
} from '../../../network/ldap/editor.ts';
import { LDAP_RESULTS } from '../../../network/ldap/results.ts';
import { strerrorOf } from '../../../python/os-errors.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import {
  dict,
  isDict,
  pyTypeName,
  toNumber,
  truthy,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';

const TIMEOUT_MS = 30_000;
/** What is done about certificates that cannot be verified: the words of libldap that take them. */
const TAKES_ANY = new Set(['never', 'allow']);
/** The settings of TLS that can be had here. */
const TLS_SETTINGS = new Set(['starttls', 'newctx', 'cacertfile', 'certfile', 'keyfile', 'require_cert']);
const OPTIONS = new Set(['network_timeout', 'timeout', 'referrals', 'protocol_version']);

/** What Salt raises for what a server refuses: `salt.loaded.int.module.ldap3.LDAPError`. */
export const LDAP_ERROR = 'LDAPError';

/**
 * Runs something with a connection that a specification describes, bound as it says.
 * @throws PythonError {@link LDAP_ERROR}
 */
export async function withConnection<T>(
  spec: Value,
  run: (editor: DirectoryEditor) => Promise<T>,
): Promise<T> {
  const given = spec === null ? dict() : spec;
  if (!isDict(given)) throw new ArgumentError(`'${pyTypeName(given)}' object has no attribute 'get'`);
  const backend = given.get('backend') ?? 'ldap';
  if (backend !== 'ldap')
    throw new PythonError(
      'ValueError',
      `unsupported backend or required Python module unavailable: ${pyStr(backend)}`,
    );
  const tls = mapping(given, 'tls');
  return withEditor(settingsOf(given, tls), (editor) =>
    asSaltSays(async () => {
      if (tls.has('starttls')) await editor.startTls();
      await bind(editor, given.get('bind') ?? null);
      return run(editor);
    }),
  );
}

/** Runs something with a connection; what the server refuses becomes Salt's exception. */
export async function asSaltSays<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof LdapProblem)
      throw new PythonError(LDAP_ERROR, `exception in ldap backend: ${problemText(error)}`);
    throw error;
  }
}

/** A problem as python-ldap writes its exception: `NO_SUCH_OBJECT({'msgtype': 107, …})`. */
function problemText(problem: LdapProblem): string {
  return `${LDAP_RESULTS.get(problem.facts.code)?.name ?? 'LDAPError'}(${problemFields(problem)})`;
}

/** The same without the name. */
export function problemFields({ message, facts }: LdapProblem): string {
  const { code, info = '', errno, answer } = facts;
  const said = errno === undefined ? info : (strerrorOf(errno) ?? info);
  return pyRepr(
    dict({
      ...(answer === undefined ? {} : { msgtype: answer.kind, msgid: answer.id }),
      result: code,
      desc: message,
      ...(errno === undefined ? {} : { errno }),
      ctrls: [],
      ...(said === '' ? {} : { info: said }),
    }),
  );
}

function mapping(spec: Dict, name: string): Dict {
  const value = spec.get(name) ?? null;
  if (value === null) return dict();
  if (isDict(value)) return value;
  throw new ArgumentError(`'${pyTypeName(value)}' object has no attribute 'items'`);
}

function settingsOf(spec: Dict, tls: Dict): EditorSettings {
  const path = (name: string): string | undefined => {
    const value = tls.get(name) ?? null;
    return value === null ? undefined : pyStr(value);
  };
  const opts = mapping(spec, 'opts');
  refuseOthers(tls, TLS_SETTINGS, 'tls');
  refuseOthers(opts, OPTIONS, 'opts');
  const seconds = toNumber(opts.get('network_timeout') ?? opts.get('timeout') ?? null) ?? TIMEOUT_MS / 1000;
  return {
    url: pyStr(spec.get('url') ?? 'ldapi:///'),
    startTls: tls.has('starttls'),
    verify: !TAKES_ANY.has(path('require_cert') ?? 'demand'),
    caFile: path('cacertfile'),
    tlsSettings: { ca: 'cacertfile', own: 'certfile' },
    certFile: path('certfile'),
    keyFile: path('keyfile'),
    timeoutMs: seconds > 0 ? seconds * 1000 : TIMEOUT_MS,
  };
}

/** Salt compat: settings of libldap that have no meaning here are refused, and not left out in silence. */
function refuseOthers(given: Dict, known: ReadonlySet<string>, where: string): void {
  const other = [...given.keys()].map(pyStr).find((name) => !known.has(name));
  if (other !== undefined)
    throw new SaltInvocationError(
      `${where} of an LDAP connection cannot have ${other} here; it may have ${[...known].join(', ')}`,
    );
}

async function bind(editor: DirectoryEditor, spec: Value): Promise<void> {
  if (spec === null) return;
  if (!isDict(spec)) throw new ArgumentError(`'${pyTypeName(spec)}' object has no attribute 'get'`);
  const method = spec.has('method') ? (spec.get('method') ?? null) : 'simple';
  if (method === null) return;
  if (method === 'simple') return editor.bind(pyStr(spec.get('dn') ?? ''), pyStr(spec.get('password') ?? ''));
  if (method !== 'sasl')
    throw new PythonError(
      'ValueError',
      `unsupported bind method "${pyStr(method)}"; supported bind methods: simple sasl`,
    );
  const mechanism = pyStr(spec.get('mechanism') ?? 'EXTERNAL').toUpperCase();
  if (mechanism !== 'EXTERNAL' || truthy(spec.get('credentials') ?? null))
    throw new SaltInvocationError(
      `Of SASL there is EXTERNAL without credentials here, and not ${mechanism}; bind with the method simple over TLS`,
    );
  return editor.bindExternal();
}
