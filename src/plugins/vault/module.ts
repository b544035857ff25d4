/** `vault`: secrets of HashiCorp Vault. Follows 3006.16 salt/modules/vault.py. */
import { existsSync, rmSync } from 'node:fs';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { keptVaultPath } from '../../network/http/vault-kept.ts';
import { reasonsOf, type VaultAnswer } from '../../network/http/vault-request.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { cachedirOf, vaultOf } from './module/connect.ts';

/** A default that nobody has given, which None is. */
const NOT_GIVEN = '__unset__';

/** The field `data` of a good answer. @throws CommandExecutionError for any other */
function dataOf({ status, data }: VaultAnswer): Value {
  if (status !== 200) throw new CommandExecutionError(`Vault answers ${status}${reasonsOf(data)}`);
  return isDict(data) ? (data.get('data') ?? null) : null;
}

/** Runs what reads. @returns the default, if there is one, when it fails @throws CommandExecutionError */
async function reading(what: string, fallback: Value, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (fallback !== NOT_GIVEN) return fallback;
    throw new CommandExecutionError(`Failed to ${what}! ${messageOf(error)}`, { cause: error });
  }
}

/** Runs what changes something. @returns False when it fails, which the log says, as in Salt */
async function changing({ log }: ModuleContext, what: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    log.error(`Failed to ${what} secret! ${messageOf(error)}`);
    return false;
  }
}

/** A field of a secret. @throws CommandExecutionError when it has none of this name */
function fieldOf(secret: Value, key: Value): Value {
  const value = isDict(secret) ? secret.get(key) : undefined;
  if (value === undefined) throw new CommandExecutionError(`KeyError: '${pyStr(key)}'`);
  return value;
}

async function write(ctx: ModuleContext, path: string, secret: Value): Promise<Value> {
  return changing(ctx, 'write', async () => {
    const vault = vaultOf(ctx);
    const { dataPath, isSecondVersion } = await vault.engineOf(path);
    const body = isSecondVersion ? new Map<Value, Value>([['data', secret]]) : secret;
    const answer = await vault.ask('POST', dataPath, body);
    if (answer.status === 204) return true;
    return dataOf(answer);
  });
}

/** A change of which Vault says nothing but that it is done. */
async function done(asked: Promise<VaultAnswer>): Promise<true> {
  const { status, data } = await asked;
  if (status >= 200 && status < 300) return true;
  throw new CommandExecutionError(`Vault answers ${status}${reasonsOf(data)}`);
}

const path = param.text({ doc: 'The path of the secret, which begins with its mount.' });
const fallback = param.value({
  default: NOT_GIVEN,
  type: 'any',
  doc: 'What is returned when there is none; without it that is an error.',
});

/** The module. */
export const vaultModule = defineModule({
  name: 'vault',
  file: 'vault',
  doc: 'Secrets of HashiCorp Vault.',
  failsWith: { false: ['delete_secret', 'destroy_secret', 'write_raw', 'write_secret'] },
  functions: {
    read_secret: defineFunction({
      doc: 'Reads a secret, or one field of it.',
      params: {
        path,
        key: param.value({ default: null, type: 'any', doc: 'The field; default: all of them.' }),
        metadata: param.flag({
          default: false,
          doc: 'Version 2 of the engine: with the facts about the secret.',
        }),
        default: fallback,
      },
      returns: 'the value of the field, or a mapping of all',
      examples: ["salt '*' vault.read_secret secret/my/secret some-key"],
      run: (ctx, args) =>
        reading('read secret', args.default, async () => {
          const vault = vaultOf(ctx);
          const { dataPath, isSecondVersion } = await vault.engineOf(args.path);
          const data = dataOf(await vault.ask('GET', dataPath));
          const secret = isSecondVersion && isDict(data) ? (data.get('data') ?? null) : data;
          if (args.key !== null) return fieldOf(secret, args.key);
          return args.metadata ? data : secret;
        }),
    }),
    write_secret: defineFunction({
      doc: 'Writes a secret, whose fields are the keywords.',
      params: { path },
      kwargs: 'kwargs',
      returns: 'True, or what Vault says about the version; False when it fails',
      examples: ["salt '*' vault.write_secret secret/my/secret user=foo password=bar"],
      run: (ctx, args, _rest, kwargs) =>
        write(ctx, args.path, new Map([...kwargs].filter(([name]) => !pyStr(name).startsWith('__')))),
    }),
    write_raw: defineFunction({
      doc: 'Writes a secret that is given as a mapping.',
      params: { path, raw: param.value({ type: 'any', doc: 'The mapping.' }) },
      returns: 'True, or what Vault says about the version; False when it fails',
      examples: [`salt '*' vault.write_raw secret/my/secret '{"user": "foo", "password": "bar"}'`],
      run: (ctx, args) => write(ctx, args.path, args.raw),
    }),
    delete_secret: defineFunction({
      doc: 'Deletes a secret.',
      params: { path },
      returns: 'True; False when it fails',
      examples: ["salt '*' vault.delete_secret secret/my/secret"],
      run: (ctx, args) =>
        changing(ctx, 'delete', async () => {
          const vault = vaultOf(ctx);
          return done(vault.ask('DELETE', (await vault.engineOf(args.path)).dataPath));
        }),
    }),
    destroy_secret: defineFunction({
      doc: 'Destroys versions of a secret, which cannot be had back. Only version 2 of the engine has them.',
      params: { path },
      varargs: 'args',
      returns: 'True; False when it fails',
      examples: ["salt '*' vault.destroy_secret secret/my/secret 1 2"],
      run: (ctx, args, rest) =>
        changing(ctx, 'destroy', async () => {
          const vault = vaultOf(ctx);
          const { destroyPath } = await vault.engineOf(args.path);
          if (destroyPath === undefined)
            throw new CommandExecutionError('Destroy operation is only supported on KV version 2');
          const body: Dict = new Map([['versions', [...rest]]]);
          return done(vault.ask('POST', destroyPath, body));
        }),
    }),
    list_secrets: defineFunction({
      doc: 'Lists the secrets below a path, which ends in a slash.',
      params: { path, default: fallback },
      returns: 'a mapping with the list `keys`',
      examples: ["salt '*' vault.list_secrets secret/my/"],
      run: (ctx, args) =>
        reading('list secrets', args.default, async () => {
          const vault = vaultOf(ctx);
          const { metadataPath } = await vault.engineOf(args.path);
          return dataOf(await vault.ask('LIST', metadataPath));
        }),
    }),
    clear_token_cache: defineFunction({
      doc: 'Forgets the token that is kept in a file.',
      params: {},
      returns: 'True; False when there is none',
      examples: ["salt '*' vault.clear_token_cache"],
      run: (ctx) => {
        const file = keptVaultPath(cachedirOf(ctx));
        if (!existsSync(file)) {
          ctx.log.info('Attempted to delete vault cache file, but it does not exist.');
          return false;
        }
        rmSync(file, { force: true });
        return true;
      },
    }),
    query: defineFunction({
      doc: 'Asks Vault anything (3007).',
      params: {
        method: param.text({ doc: 'GET, POST, PUT, DELETE or LIST.' }),
        endpoint: param.text({ doc: 'The path, without v1.' }),
        payload: param.value({ default: null, type: 'any', doc: 'What is sent.' }),
      },
      returns: 'the answer; True for one without a body',
      examples: ["salt '*' vault.query GET auth/token/lookup-self"],
      run: async (ctx, { method, endpoint, payload }) => {
        const verb = (['GET', 'POST', 'PUT', 'DELETE', 'LIST'] as const).find(
          (one) => one === method.toUpperCase(),
        );
        if (verb === undefined)
          throw new CommandExecutionError(
            `Vault is not asked by ${method}: there are GET, POST, PUT, DELETE and LIST.`,
          );
        const body = payload ?? undefined;
        const { status, data } = await vaultOf(ctx).ask(verb, endpoint, body);
        if (status < 200 || status > 299)
          throw new CommandExecutionError(`Vault answers ${status}${reasonsOf(data)}`);
        return data ?? true;
      },
    }),
  },
});
