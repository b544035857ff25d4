/** Policies and upstreams of RabbitMQ. Follows 3006.16 salt/modules/rabbitmq.py. */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { toJson } from '../../../formats/json/text.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { checked, dataLines } from './output.ts';
import { UPSTREAM_PARAMS } from './upstream-params.ts';
import { control, isAtLeast, packageVersion, printed } from './run.ts';

/** What a policy may apply to: in versions before 3.7 the word stands before the pattern. */
const SCOPES = new Set(['all', 'queues', 'exchanges', 'classic_queues', 'quorum_queues', 'streams']);

/** The fields of a policy behind its virtual host and its name. */
function policyOf(fields: readonly string[], isNew: boolean): Dict {
  const [a = '', b = '', c = '', d = ''] = fields;
  if (fields.length === 3) return dict({ pattern: a, definition: b, priority: c });
  return isNew
    ? dict({ pattern: a, apply_to: b, definition: c, priority: d })
    : dict({ apply_to: a, pattern: b, definition: c, priority: d });
}

/** The policies of a virtual host: mapping of virtual host to name to policy. */
export async function policies(ctx: ModuleContext, vhost: Value, runas: Value): Promise<Dict> {
  const output = await printed(ctx, ['list_policies', '-q', '-p', vhost], runas);
  const version = await packageVersion(ctx);
  const found = dict();
  for (const line of dataLines(output)) {
    const [host = '', name = '', ...fields] = line.trim().split('\t');
    if (fields.length !== 3 && fields.length !== 4) continue;
    // Salt compat: where no package tells the version, Salt takes all for older than 3.7 and mixes the fields up.
    const isNew = version === '' ? SCOPES.has(fields[1] ?? '') : isAtLeast(version, [3, 7]);
    const ofHost = found.get(host);
    const known = isDict(ofHost) ? ofHost : dict();
    found.set(host, known.set(name, policyOf(fields, isNew)));
  }
  return found;
}

/** What a policy is made of. */
export interface PolicyArgs {
  readonly vhost: Value;
  readonly name: Value;
  readonly pattern: Value;
  readonly definition: Value;
  readonly priority: Value | undefined;
  readonly runas: Value;
  readonly apply_to: Value | undefined;
}

/** Sets a policy. @throws SaltInvocationError for a definition that is neither a mapping nor a text */
export async function setPolicy(ctx: ModuleContext, args: PolicyArgs): Promise<Dict> {
  const { vhost, name, pattern, priority, runas, apply_to } = args;
  const definition = isDict(args.definition) ? toJson(args.definition) : args.definition;
  if (typeof definition !== 'string')
    throw new SaltInvocationError("The 'definition' argument must be a dictionary or JSON string");
  const words: Value[] = ['set_policy', '-p', vhost];
  if (priority !== undefined) words.push('--priority', priority);
  if (apply_to !== undefined) words.push('--apply-to', apply_to);
  return dict({ Set: await printed(ctx, [...words, name, pattern, definition], runas) });
}

/** The settings of an upstream as RabbitMQ keeps them; what is false or empty is left out. */
export function upstreamSettings(args: Readonly<Record<string, Value>>): Dict {
  return new Map(
    Object.keys(UPSTREAM_PARAMS).flatMap((name): [Value, Value][] => {
      const value = args[name] ?? null;
      return truthy(value) ? [[name.replaceAll('_', '-'), value]] : [];
    }),
  );
}

/** The upstreams: mapping of name to definition in JSON. */
export async function upstreams(ctx: ModuleContext, runas: Value): Promise<Dict> {
  const { stdout } = await control(ctx, ['list_parameters', '-q'], { runas });
  return new Map(
    dataLines(stdout).flatMap((line): [Value, Value][] => {
      const [, name, definition] = line.split('\t');
      return name === undefined || definition === undefined ? [] : [[name, definition]];
    }),
  );
}

/** An address with a password in it. */
const WITH_PASSWORD = /:\/\/[^/@\s"]*:[^/@\s"]*@/;

/**
 * Sets an upstream. One whose address has a password goes to the standard input of `import_definitions`.
 *
 * Salt compat: Salt has the password among the arguments, where every user of the machine reads it.
 * @throws CommandExecutionError where it fails
 */
export async function setUpstream(
  ctx: ModuleContext,
  name: Value,
  settings: Dict,
  runas: Value,
): Promise<true> {
  const value = toJson(settings);
  const run = { runas, secret: true };
  if (WITH_PASSWORD.test(value)) {
    const upstream = dict({
      vhost: '/',
      component: 'federation-upstream',
      name: pyStr(name),
      value: settings,
    });
    const stdin = `${toJson(dict({ parameters: [upstream] }))}\n`;
    checked(await control(ctx, ['import_definitions'], { ...run, stdin }));
  } else checked(await control(ctx, ['set_parameter', 'federation-upstream', name, value], run));
  return true;
}
