/** `ldap`: searches in the directory that the minion's configuration names. Follows 3006.16 salt/modules/ldapmod.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { LdapScope } from '../../network/ldap/directory.ts';
import { LdapProblem, withEditor, type EditorSettings } from '../../network/ldap/editor.ts';
import { LDAP_RESULTS } from '../../network/ldap/results.ts';
import { pyInt } from '../../python/conversions.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { asDict } from './ldap3.module.ts';
import { problemFields } from './module/connection.ts';

const TIMEOUT_MS = 30_000;
const SCOPES: readonly LdapScope[] = ['base', 'one', 'sub'];
/** From here on a time is told in seconds. */
const SHORT_SECONDS = 0.2;

/** What is searched for. */
interface Search {
  readonly filter: string;
  readonly base: string;
  readonly scope: LdapScope;
  readonly attributes: readonly string[];
}

/** Runs something with a value for each option: of the call, or of the configuration. */
type Options = (name: string, key?: string) => Promise<Value>;

const optionsOf =
  (ctx: ModuleContext, kwargs: Dict): Options =>
  (name, key = name) =>
    kwargs.has(name)
      ? Promise.resolve(kwargs.get(name) ?? null)
      : ctx.functions.call('config.option', [`ldap.${key}`]);

async function scopeOf(option: Options, given: Value | undefined): Promise<LdapScope> {
  return SCOPES[Number(pyInt(given ?? (await option('scope'))))] ?? 'sub';
}

async function settingsOf(option: Options): Promise<EditorSettings> {
  const uri = pyStr(await option('uri'));
  const [server, port] = [pyStr(await option('server')), pyStr(await option('port'))];
  return {
    url: uri === '' ? `ldap://${server}:${port}` : uri,
    startTls: truthy(await option('tls')),
    verify: !truthy(await option('no_verify')),
    caFile: undefined,
    certFile: undefined,
    keyFile: undefined,
    timeoutMs: TIMEOUT_MS,
  };
}

async function search(ctx: ModuleContext, option: Options, wanted: Search): Promise<Dict> {
  const settings = await settingsOf(option);
  const bindDn = pyStr(await option('binddn'));
  const password = pyStr(await option('bindpw'));
  const isAnonymous = truthy(await option('anonymous'));
  return withEditor(settings, async (editor) => {
    try {
      if (settings.startTls) await editor.startTls();
      if (!isAnonymous) await editor.bind(bindDn, password);
    } catch (error) {
      if (!(error instanceof LdapProblem)) throw error;
      throw new CommandExecutionError(
        `Failed to bind to LDAP server ${settings.url} as ${bindDn}: ${problemFields(error)}`,
      );
    }
    const beganMs = ctx.clock.monotonicMs();
    try {
      const found = await editor.search({
        base: wanted.base,
        scope: wanted.scope,
        filter: wanted.filter,
        attributes: wanted.attributes,
        namesOnly: false,
      });
      const results = found.map(({ dn, values }): Value => [dn, asDict(values)]);
      const seconds = (ctx.clock.monotonicMs() - beganMs) / 1000;
      const human = seconds < SHORT_SECONDS ? `${(seconds * 1000).toFixed(1)}ms` : `${seconds.toFixed(2)}s`;
      return dict({
        results,
        count: results.length,
        time: { human, raw: String(Number(seconds.toFixed(5))) },
      });
    } catch (error) {
      if (!(error instanceof LdapProblem)) throw error;
      throw new PythonError(
        `ldap.${LDAP_RESULTS.get(error.facts.code)?.name ?? 'LDAPError'}`,
        problemFields(error),
      );
    }
  });
}

/** The module. */
export const ldapModule = defineModule({
  name: 'ldap',
  file: 'ldapmod',
  doc: 'Searches in a directory: that of the options `ldap.server`, `ldap.port` and their like, or of the keywords.',
  functions: {
    search: defineFunction({
      doc: 'Searches entries. Further keywords are options without their `ldap.`: server, port, uri, tls, no_verify, binddn, bindpw, anonymous.',
      params: {
        filter: param.text({ doc: 'The filter.' }),
        dn: param.textIfGiven({ default: null, doc: 'Where it begins; default: `ldap.basedn`.' }),
        scope: param.valueIfGiven({ default: null, doc: '0, 1 or 2; default: `ldap.scope`.' }),
        attrs: param.value({
          type: 'list',
          default: null,
          doc: 'Only these attributes; default: `ldap.attrs`, all for an empty text.',
        }),
      },
      kwargs: 'kwargs',
      returns: 'mapping: results (lists of a name and a mapping of attributes), count, time',
      examples: ['salt \'ldaphost\' ldap.search "filter=cn=myhost"'],
      run: async (ctx, args, _rest, kwargs) => {
        const option = optionsOf(ctx, kwargs);
        const attrs = args.attrs === '' ? null : (args.attrs ?? (await option('attrs')));
        return search(ctx, option, {
          filter: args.filter,
          base: args.dn ?? pyStr(await option('dn', 'basedn')),
          scope: await scopeOf(option, args.scope),
          attributes: Array.isArray(attrs) ? attrs.map(pyStr) : [],
        });
      },
    }),
  },
});
