/** `docker_image`: images of Docker (3006.16 salt/states/docker_image.py). */
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { CLIENT_TIMEOUT, INSECURE_REGISTRY, warnWithoutEffect } from './module/choice-params.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const PRESENT = {
  name: param.text({ doc: 'The image, with its registry where that is not the hub.' }),
  tag: param.value({ default: null, type: 'str', doc: 'Its tag; required where it is built or loaded.' }),
  build: param.textIfGiven({ default: null, doc: 'Build it: the folder of its Dockerfile.' }),
  load: param.textIfGiven({ default: null, doc: 'Load it: an archive that `docker save` has written.' }),
  force: param.flag({ default: false, doc: 'Fetch or make it even where it is there.' }),
  ...INSECURE_REGISTRY,
  ...CLIENT_TIMEOUT,
  dockerfile: param.textIfGiven({ default: null, doc: 'The Dockerfile within the folder.' }),
  sls: param.value({ default: null, type: 'list or str', doc: 'Not served: build it with a Dockerfile.' }),
  base: param.value({ default: 'opensuse/python', type: 'str', doc: 'For `sls` only.' }),
  saltenv: param.value({ default: 'base', type: 'str', doc: 'For `sls` only.' }),
  pillarenv: param.value({ default: null, type: 'str', doc: 'For `sls` only.' }),
  pillar: param.value({ default: null, type: 'dict', doc: 'For `sls` only.' }),
} as const;
type PresentArguments = TypedArguments<typeof PRESENT>;

/** How an image comes to be there. */
interface Way {
  readonly verb: 'built' | 'loaded' | 'pulled';
  /** What an error says it was doing. */
  readonly doing: string;
  run(): Promise<Value>;
}

interface Wanted {
  readonly name: string;
  readonly tag: string;
  readonly full: string;
}

/** The names of an image, or why it cannot be had. */
function wantedImage({ name: given, tag, build, load, sls }: PresentArguments): Wanted | string {
  const name = pyStr(given);
  const ways = [build, load, sls ?? undefined].filter((way) => way !== undefined).length;
  if (ways > 1) return "Only one of 'build', 'load', or 'sls' is permitted.";
  if (ways === 1 && !truthy(tag))
    return "The 'tag' argument is required if any one of 'build', 'load', or 'sls' is used.";
  if (truthy(sls)) return "The 'sls' argument is not served. Build the image with a Dockerfile ('build').";
  const full = truthy(tag) ? `${name}:${pyStr(tag)}` : name;
  return { name: ways === 1 ? name : full, tag: pyStr(tag), full };
}

/** What the daemon knows of an image; undefined where there is none. @throws CommandExecutionError */
async function found(ctx: StateContext, image: string): Promise<Dict | undefined> {
  try {
    const facts = await ctx.functions.call('docker.inspect_image', [image]);
    return isDict(facts) ? facts : undefined;
  } catch (error) {
    if (error instanceof CommandExecutionError && error.message.includes('404')) return undefined;
    throw error;
  }
}

function wayTo(ctx: StateContext, args: PresentArguments, { name, tag, full }: Wanted, kwargs: Dict): Way {
  const { build, load, dockerfile } = args;
  if (build !== undefined) {
    const more = kwargs.get('kwargs');
    const words = new Map([
      ...(isDict(more) ? more : []),
      ...dict({ path: build, repository: name, tag, dockerfile: dockerfile ?? null }),
    ]);
    return {
      verb: 'built',
      doing: `building ${build} as ${full}`,
      run: () => ctx.functions.call('docker.build', [], words),
    };
  }
  if (load !== undefined)
    return {
      verb: 'loaded',
      doing: `loading ${load} as ${full}`,
      run: () => ctx.functions.call('docker.load', [], { path: load, repository: name, tag }),
    };
  return { verb: 'pulled', doing: `pulling ${full}`, run: () => ctx.functions.call('docker.pull', [name]) };
}

const listOf = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : []);

/** Whether something came of it. */
function isChanged(verb: Way['verb'], before: Dict | undefined, made: Dict): boolean {
  if (before === undefined) return true;
  const id = pyStr(before.get('Id') ?? '').slice(0, 12);
  if (verb === 'built') return made.get('Id') !== id;
  const layers = made.get('Layers');
  if (verb === 'loaded') return truthy(layers ?? null);
  if (!isDict(layers)) return false;
  return listOf(layers.get('Already_Pulled'))[0] !== id && truthy(layers.get('Pulled') ?? null);
}

async function present(ctx: StateContext, args: PresentArguments, kwargs: Dict): Promise<StateResult> {
  const wanted = wantedImage(args);
  const shownName = args.name;
  if (typeof wanted === 'string') return failure(shownName, wanted);
  const { name, full } = wanted;
  try {
    const before = await found(ctx, full);
    if (before !== undefined && !args.force) return outcome(shownName, true, `Image ${full} already present`);
    const way = wayTo(ctx, args, wanted, kwargs);
    if (ctx.state.test) return outcome(shownName, null, `Image ${full} will be ${way.verb}`);
    let made: Value;
    try {
      made = await way.run();
    } catch (error) {
      return failure(shownName, `Encountered error ${way.doing}: ${messageOf(error)}`);
    }
    return await checkedImage(
      ctx,
      { shownName, name, full, verb: way.verb },
      isDict(made) ? made : dict(),
      before,
    );
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failure(shownName, error.message);
  }
}

/** The result once an image was made. Salt compat: Salt calls it pulled where the daemon has failed to. */
async function checkedImage(
  ctx: StateContext,
  { shownName, name, full, verb }: { shownName: Value; name: string; full: string; verb: Way['verb'] },
  made: Dict,
  before: Dict | undefined,
): Promise<StateResult> {
  const changes = isChanged(verb, before, made) ? made : dict();
  const errors = listOf(made.get('Errors'));
  if (errors.length > 0 && (await found(ctx, full)) === undefined)
    return outcome(shownName, false, `Encountered error pulling ${full}: ${errors.map(pyStr).join('; ')}`);
  return changes.size === 0
    ? outcome(shownName, true, `Image '${name}' was ${verb}, but there were no changes`)
    : outcome(shownName, true, `Image '${full}' was ${verb}`, changes);
}

async function absent(ctx: StateContext, name: Value, images: Value, force: boolean): Promise<StateResult> {
  if (!truthy(name) && !truthy(images)) return failure(name, "One of 'name' and 'images' must be provided");
  const targets = images === null ? [name] : Array.isArray(images) ? images : [images];
  const tags: Value[] = [];
  for (const target of targets) {
    const tag = await ctx.functions.call('docker.resolve_tag', [target]);
    if (tag !== false) tags.push(tag);
  }
  const [first = ''] = tags.map(pyStr);
  if (tags.length === 0)
    return outcome(
      name,
      true,
      targets.length === 1 ? `Image ${pyStr(name)} is not present` : 'All specified images are not present',
    );
  const all = tags.map(pyStr).join(', ');
  if (ctx.state.test)
    return outcome(
      name,
      null,
      tags.length === 1 ? `Image ${first} will be removed` : `The following images will be removed: ${all}`,
    );
  const removed = await ctx.functions.call('docker.rmi', tags, { force });
  const left = listOf(await ctx.functions.call('docker.list_tags'));
  const failed = tags.filter((tag) => left.includes(tag));
  const changes = isDict(removed) ? removed : dict();
  if (failed.length === 0)
    return outcome(
      name,
      true,
      tags.length === 1 ? `Image ${first} was removed` : `The following images were removed: ${all}`,
      changes,
    );
  if (failed.length < tags.length)
    return outcome(
      name,
      false,
      `The following image(s) failed to be removed: ${failed.map(pyStr).join(', ')}`,
      changes,
    );
  const errors = listOf(changes.get('Errors')).map(pyStr);
  const why = errors.length > 0 ? `. The following errors were encountered: ${errors.join('; ')}` : '';
  return failure(name, `None of the specified images were removed${why}`);
}

/** The states of `docker_image`. */
export const dockerImageStates = defineModule({
  name: 'docker_image',
  file: 'docker_image',
  doc: 'Images of Docker.',
  functions: {
    present: defineState({
      doc: 'Makes sure that an image is there: fetches, builds or loads it.',
      params: PRESENT,
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => {
        warnWithoutEffect(ctx, args);
        return present(ctx, args, kwargs);
      },
    }),
    absent: defineState({
      doc: 'Makes sure that images are not there.',
      params: {
        name: param.value({ default: null, type: 'str', doc: 'The image.' }),
        images: param.value({ default: null, type: 'list', doc: 'Several images.' }),
        force: param.flag({ default: false, doc: 'Remove it even where a container uses it.' }),
      },
      run: (ctx, { name, images, force }) => absent(ctx, name, images, force),
    }),
    mod_watch: defineState({
      doc: 'Fetches or makes the image anew when a watched state has changed something.',
      params: { name: PRESENT.name, sfun: param.text({ default: null, doc: 'The state that watches.' }) },
      kwargs: 'kwargs',
      run: async (ctx, { name, sfun }, kwargs) => {
        if (sfun !== 'present') return failure(name, `watch requisite is not implemented for ${sfun}`);
        const words = new Map([...kwargs, ...dict({ name, force: true })]);
        const result = await ctx.state.call('docker_image.present', words);
        return isDict(result) ? result : failure(name, pyStr(result));
      },
    }),
  },
});
