/** `keyboard`: the layout of keyboards (3006.16 salt/states/keyboard.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { dict } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const NAME = { name: param.text({ doc: 'The layout: us, de.' }) } as const;

/** Which layout a state is about, and what it is called. */
interface Kind {
  readonly get: string;
  readonly set: string;
  readonly what: string;
  readonly long: string;
}

const SYSTEM: Kind = { get: 'get_sys', set: 'set_sys', what: 'System', long: 'system' };
const XORG: Kind = { get: 'get_x', set: 'set_x', what: 'XOrg', long: 'XOrg' };

async function layout(ctx: StateContext, name: string, { get, set, what, long }: Kind): Promise<StateResult> {
  if ((await ctx.functions.call(`keyboard.${get}`)) === name)
    return outcome(name, true, `${what} layout ${name} already set`);
  if (ctx.state.test) return outcome(name, null, `${what} layout ${name} needs to be set`);
  try {
    await ctx.functions.call(`keyboard.${set}`, [name]);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failure(name, `Failed to set ${long} keyboard layout: ${error.message}`);
  }
  return outcome(name, true, `Set ${long} keyboard layout ${name}`, dict({ layout: name }));
}

/** The states of `keyboard`. */
export const keyboardStates = defineModule({
  name: 'keyboard',
  file: 'keyboard',
  doc: 'The layout of keyboards.',
  needs: { fun: 'keyboard.get_sys', otherwise: 'keyboard module could not be loaded' },
  words: {},
  functions: {
    system: defineState({
      doc: 'Makes sure that the consoles have this layout.',
      params: NAME,
      run: (ctx, { name }) => layout(ctx, name, SYSTEM),
    }),
    xorg: defineState({
      doc: 'Makes sure that the X server has this layout.',
      params: NAME,
      run: (ctx, { name }) => layout(ctx, name, XORG),
    }),
  },
});
