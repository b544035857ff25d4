/** `alternatives`: which of several programs a name stands for (3006.16 salt/states/alternatives.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { isAbs } from '../../python/paths.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { defineState, type StateContext } from '../shared/state-function.ts';

const NAME = param.text({ doc: 'The name of the alternative: `editor`.' });
const PATH = param.value({ type: 'str', doc: 'The path of one of those it may stand for: `/usr/bin/vim`.' });

const call = (ctx: StateContext, fun: string, ...args: Value[]): Promise<Value> =>
  ctx.functions.call(`alternatives.${fun}`, args);

/**
 * Why an alternative cannot be like this, as `update-alternatives` refuses it.
 * Salt compat: there, test mode promises it.
 */
function installRefusal(
  name: Value,
  paths: Readonly<Record<string, Value>>,
  priority: Value,
): string | undefined {
  if (pyStr(name) === '') return 'The name of an alternative cannot be empty';
  if (/[\s/]/.test(pyStr(name)))
    return `The name of an alternative has no slashes and blanks: ${pyRepr(name)}`;
  for (const [key, value] of Object.entries(paths))
    if (!isAbs(pyStr(value)))
      return `${key} must be a whole path, beginning with a slash, not ${pyRepr(value)}`;
  return /^\s*[-+]?\d+\s*$/.test(pyStr(priority))
    ? undefined
    : `priority must be a whole number, not ${pyRepr(priority)}`;
}

const install = defineState({
  doc: 'Makes sure that a path is one of those that an alternative may stand for.',
  params: {
    name: param.text({ doc: NAME.doc }),
    link: param.value({ type: 'str', doc: 'The link that programs use: `/usr/bin/editor`.' }),
    path: PATH,
    priority: param.value({ type: 'int', doc: 'The highest one is taken in automatic mode.' }),
  },
  run: async (ctx, { name, link, path, priority }) => {
    const ended = (result: boolean | null, comment: string, changes: Dict = dict()) => ({
      ...{ name, link, path, priority, result, changes, comment },
    });
    const [nameText, pathText, level] = [pyStr(name), pyStr(path), pyStr(priority)];
    if (truthy(await call(ctx, 'check_exists', name, path)))
      return ended(true, `Alternative ${pathText} for ${nameText} is already registered`);
    const refused = installRefusal(name, { link, path }, priority);
    if (refused !== undefined) return ended(false, refused);
    if (ctx.state.test)
      return ended(null, `Alternative will be set for ${nameText} to ${pathText} with priority ${level}`);
    const out = await call(ctx, 'install', name, link, path, priority);
    if (!truthy(await call(ctx, 'check_exists', name, path)))
      return ended(false, `Alternative for ${nameText} not installed: ${pyStr(out)}`);
    const isCurrent = truthy(await call(ctx, 'check_installed', name, path));
    return ended(
      true,
      isCurrent
        ? `Alternative for ${nameText} set to path ${pathText} with priority ${level}`
        : `Alternative ${pathText} for ${nameText} registered with priority ${level} and not set to default`,
      dict({ name, link, path, priority }),
    );
  },
});

/** Salt compat: there, an empty path is removed again at each run, or said not to be set, with success. */
function noPathRefusal({ path }: { readonly path: Value }): string | undefined {
  return truthy(path) ? undefined : `path must be a whole path, beginning with a slash, not ${pyRepr(path)}`;
}

const remove = defineState({
  doc: 'Makes sure that a path is none of those that an alternative may stand for.',
  params: { name: NAME, path: PATH },
  refuses: noPathRefusal,
  run: async (ctx, { name, path }) => {
    const ended = (result: boolean | null, comment: string, changes: Dict = dict()) => ({
      ...{ name, path, result, changes, comment },
    });
    const isThere = truthy(await call(ctx, 'check_exists', name, path));
    if (isThere && ctx.state.test) return ended(null, `Alternative for ${name} will be removed`);
    if (isThere) await call(ctx, 'remove', name, path);
    const current = await call(ctx, 'show_current', name);
    if (isThere)
      return truthy(current)
        ? ended(
            true,
            `Alternative for ${name} removed. Falling back to path ${pyStr(current)}`,
            dict({ path: current }),
          )
        : ended(true, `Alternative for ${name} removed`);
    return truthy(current)
      ? ended(true, `Alternative for ${name} is set to it's default path ${pyStr(current)}`)
      : ended(false, `Alternative for ${name} doesn't exist`);
  },
});

const auto = defineState({
  doc: 'Makes sure that an alternative stands for the path with the highest priority.',
  params: { name: NAME },
  run: async (ctx, { name }) => {
    const ended = (result: boolean | null, comment: string, changes: Dict = dict()) => ({
      ...{ name, result, comment, changes },
    });
    const shown = pyStr(await call(ctx, 'display', name));
    const [first = ''] = splitLines(shown);
    if (first.endsWith(' auto mode')) return ended(true, `${name} already in auto mode`);
    // Salt compat: there, test mode promises it of a name that is none
    if (ctx.state.test && !/ mode$/.test(first) && !mayBeMade(ctx))
      return ended(false, `${name} was not put in auto mode: ${shown}`);
    if (ctx.state.test) return ended(null, `${name} will be put in auto mode`);
    const answer = await call(ctx, 'auto', name);
    const [now = ''] = splitLines(pyStr(await call(ctx, 'display', name)));
    // Salt compat: there, it is a success with an empty comment
    if (!now.endsWith(' auto mode'))
      return ended(false, `${name} was not put in auto mode: ${pyStr(answer)}`);
    return ended(true, '', dict({ result: answer }));
  },
});

const set = defineState({
  doc: 'Makes sure that an alternative stands for a path.',
  params: { name: NAME, path: PATH },
  refuses: noPathRefusal,
  run: async (ctx, { name, path }) => {
    const ended = (result: boolean | null, comment: string, changes: Dict = dict()) => ({
      ...{ name, path, result, changes, comment },
    });
    const target = pyStr(path);
    if ((await call(ctx, 'show_current', name)) === path)
      return ended(true, `Alternative for ${name} already set to ${target}`);
    const shown = splitLines(pyStr(await call(ctx, 'display', name)));
    if (!shown.some((line) => line.startsWith(target)))
      return ended(false, `Alternative ${target} for ${name} doesn't exist`);
    if (ctx.state.test) return ended(null, `Alternative for ${name} will be set to path ${target}`);
    await call(ctx, 'set', name, path);
    return (await call(ctx, 'show_current', name)) === path
      ? ended(true, `Alternative for ${name} set to path ${target}`, dict({ path }))
      : ended(true, `Alternative for ${name} not updated`);
  },
});

/** The states of `alternatives`. */
export const alternativesStates = defineModule({
  name: 'alternatives',
  file: 'alternatives',
  doc: 'Which of several programs a common name stands for, as `update-alternatives` keeps it.',
  // the spelling is Salt's
  needs: { fun: 'alternatives.auto', otherwise: 'alernatives module could not be loaded' },
  words: {},
  functions: { install, remove, auto, set },
});
