/** From the command line of `salt` to the job it asks for. */
import { START_EVENT_FIELD } from '../../network/events/tags.ts';
import type { PublishOptions } from '../../runtime/client/local-client.ts';
import { settingsOfReturner, unreadReturnerKwargs } from '../../config/returner-kwargs.ts';
import { UsageError } from '../../errors/errors.ts';
import { expandTargetNodegroups, nodegroupsOf } from '../../runtime/targeting/nodegroups.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { yamlifyArgument } from '../../formats/yaml/yamlify.ts';
import {
  keepJidsText,
  noParseNames,
  parseArguments,
  splitCompound,
  splitIds,
} from '../command-line/arguments.ts';

/** The options that name a target type, in the order of Salt's help. */
const TARGET_OPTIONS: readonly (readonly [dest: string, tgtType: string])[] = [
  ['pcre', 'pcre'],
  ['list', 'list'],
  ['grain', 'grain'],
  ['grain_pcre', 'grain_pcre'],
  ['nodegroup', 'nodegroup'],
  ['range', 'range'],
  ['compound', 'compound'],
  ['pillar_target', 'pillar'],
  ['pillar_pcre', 'pillar_pcre'],
  ['ipcidr', 'ipcidr'],
];

/** Options that go into `kwargs`, read as YAML: the option's name and the field's. */
const YAML_KWARGS = ['return_kwargs', 'module_executors', 'executor_opts', 'metadata'] as const;

/** What the command line asks for. */
export interface SaltRequest {
  /** The job, whose target may still name node groups of the configuration. */
  readonly publish: PublishOptions;
  /** The function's name, or the names of several with commas. */
  readonly fun: string;
}

/**
 * @param words the words that are no options: target, function, arguments
 * @param opts the configuration with the command line laid over it
 * @throws CompoundArgumentsError, UsageError
 */
export function readSaltRequest(words: readonly string[], opts: Dict, timeoutMs: number): SaltRequest {
  const [target = '', funs = '', ...rest] = words;
  const noParse = noParseNames(opts.get('no_parse'));
  const isCompound = funs.includes(',');
  const names = isCompound ? funs.split(',') : [funs];
  const separator = String(opts.get('args_separator') ?? ',');
  if (isCompound && separator === '')
    throw new UsageError('--args-separator must not be empty; without the option it is a comma');
  const arg: Value[] = isCompound
    ? splitCompound(rest, names.length, separator).map((group) =>
        keepJidsText(parseArguments(group, noParse)),
      )
    : keepJidsText(parseArguments(rest, noParse));
  const { tgt, tgtType } = readTarget(target, opts);
  const publish: PublishOptions = {
    tgt,
    tgtType,
    fun: isCompound ? names : funs,
    arg,
    ret: returners(opts),
    timeoutMs,
    kwargs: publishKwargs(opts),
  };
  return { publish, fun: funs };
}

function readTarget(text: string, opts: Dict): { tgt: Value; tgtType: string } {
  const chosen = TARGET_OPTIONS.find(([dest]) => opts.get(dest) === true);
  const tgtType = chosen?.[1] ?? 'glob';
  return { tgt: tgtType === 'list' ? splitIds(text) : text, tgtType };
}

/**
 * The request with its node groups written out, as it can be published.
 * @throws SaltInvocationError for a group that is not configured, or cannot be used as it is written
 */
export function withoutNodegroups(request: SaltRequest, opts: Dict): SaltRequest {
  const { tgt, tgtType } = expandTargetNodegroups(
    request.publish.tgt,
    request.publish.tgtType,
    nodegroupsOf(opts.get('nodegroups')),
    String(opts.get('conf_file')),
  );
  return { ...request, publish: { ...request.publish, tgt, tgtType } };
}

function returners(opts: Dict): string {
  const names = [opts.get('return'), opts.get('ext_job_cache')].filter(
    (name) => typeof name === 'string' && name !== '',
  );
  return names.join(',');
}

/** Options in `--return_kwargs` that none of the named returners reads, each as a sentence. */
export function unreadKwargs({ publish }: SaltRequest): string[] {
  const names = (publish.ret ?? '').split(',').filter((name) => name !== '');
  return unreadReturnerKwargs(
    '--return_kwargs',
    publish.kwargs?.get('ret_kwargs') ?? null,
    new Map(names.map((name) => [name, settingsOfReturner(name)])),
  );
}

function publishKwargs(opts: Dict): Dict {
  const kwargs: Dict = new Map<Value, Value>([
    ['delimiter', opts.get('delimiter') ?? ':'],
    ['show_timeout', opts.get('show_timeout') !== false],
    ['show_jid', truthy(opts.get('show_jid'))],
  ]);
  if (truthy(opts.get(START_EVENT_FIELD))) kwargs.set(START_EVENT_FIELD, true);
  const config = opts.get('return_config');
  if (typeof config === 'string' && config !== '') kwargs.set('ret_config', config);
  for (const name of YAML_KWARGS) {
    const value = opts.get(name);
    if (!truthy(value)) continue;
    const read = typeof value === 'string' ? yamlifyArgument(value) : (value as Value);
    if (name === 'return_kwargs' && !isDict(read))
      throw new UsageError(
        `option --return_kwargs takes a mapping, such as '{to: ops@example.com}', not '${pyStr(value as Value)}'`,
      );
    kwargs.set(name === 'return_kwargs' ? 'ret_kwargs' : name, read);
  }
  return kwargs;
}
