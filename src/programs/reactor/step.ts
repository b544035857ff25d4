/** A reaction in the form that the journal keeps: with the job id that it runs under, so that it can be found again. */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { isJid } from '../../storage/jobs/jid.ts';
import type { Reaction, ReactionClient } from './reaction.ts';

/** A reaction that is to be run. */
export interface Step {
  readonly reaction: Reaction;
  readonly jid: string;
  /** 1, or more for what follows from other reactions. */
  readonly generation: number;
}

/** For the journal. */
export function stepToDict({ reaction, jid, generation }: Step): Dict {
  const { client, id, sls, fun, arg, kwarg, target } = reaction;
  const out = dict({ client, id, sls, fun, arg: [...arg], kwarg, jid, generation });
  if (target !== undefined) {
    const { tgt, tgtType, ret, fields } = target;
    out.set('target', dict({ tgt, tgt_type: tgtType, ret, fields }));
  }
  return out;
}

/** Out of the journal, which only this program writes. */
export function stepFromDict(kept: Dict): Step {
  const text = (from: Dict, key: string): string => pyStr(from.get(key) ?? '');
  const target = kept.get('target');
  const arg = kept.get('arg');
  return {
    jid: text(kept, 'jid'),
    generation: Number(kept.get('generation') ?? 1),
    reaction: {
      client: text(kept, 'client') as ReactionClient,
      id: text(kept, 'id'),
      sls: text(kept, 'sls'),
      fun: text(kept, 'fun'),
      arg: Array.isArray(arg) ? arg : [],
      kwarg: mapping(kept.get('kwarg')),
      ...(target !== undefined && isDict(target)
        ? {
            target: {
              tgt: target.get('tgt') ?? '',
              tgtType: text(target, 'tgt_type'),
              ret: text(target, 'ret'),
              fields: mapping(target.get('fields')),
            },
          }
        : {}),
    },
  };
}

function mapping(value: Value | undefined): Dict {
  return value !== undefined && isDict(value) ? value : new Map();
}

/**
 * The arguments of a reaction as a publication holds them. A job id that YAML or Jinja has made a number is a text
 * again (salt/utils/args.py `condition_input`, 3006.16).
 */
export function publishedArguments({ arg, kwarg }: Reaction): Value[] {
  const given = arg.map((item) => (isJid(pyStr(item)) ? pyStr(item) : item));
  return kwarg.size === 0 ? given : [...given, new Map<Value, Value>([...kwarg, ['__kwarg__', true]])];
}
