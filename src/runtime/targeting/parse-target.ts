/** The border: turns a target from the wire, the command line or a file into its typed form, once. */
import { BrineError, messageOf } from '../../errors/errors.ts';
import { closestNames } from '../../errors/did-you-mean.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { DEFAULT_DELIMITER } from '../../formats/data/traverse.ts';
import { pyStr } from '../../python/values/repr.ts';
import { pyTypeName, type Dict, type Value } from '../../python/values/value.ts';
import { parseCompound } from './compound-parse.ts';
import { expandNodegroup } from './nodegroups.ts';
import { isTargetType, TARGET_TYPES, TargetError, type Target, type TargetType } from './target.ts';
import { dataTerm, globTerm, ipcidrTerm, listTerm, pcreTerm } from './terms.ts';
import { splitWords, type Word } from './words.ts';

/** Longer targets are refused. */
const MAX_TARGET_CHARS = 8 * 1024 * 1024;

/**
 * Reads a target.
 *
 * @param tgt the expression: text, or a list of ids (`list`) or of words (`compound`)
 * @param tgtType one of {@link TARGET_TYPES}
 * @param delimiter what separates levels in grain and pillar targets
 * @param nodegroups the option `nodegroups` of this side's configuration. A client passes the master's; a minion passes
 *   its own for `compound` and none for `nodegroup` (Salt compat: such a publish matches no minion)
 * @throws TargetError when it is invalid; on a minion such a target matches nothing
 */
export function parseTarget(
  tgt: Value,
  tgtType: string,
  delimiter: string = DEFAULT_DELIMITER,
  nodegroups: Dict = new Map(),
): Target {
  if (!isTargetType(tgtType)) throw unknownType(tgtType);
  if (typeof tgt === 'string' && tgt.length > MAX_TARGET_CHARS) {
    throw new TargetError(`Target longer than ${MAX_TARGET_CHARS} characters`);
  }
  try {
    return parseKnown(tgt, tgtType, delimiter, nodegroups);
  } catch (error) {
    if (error instanceof TargetError || !(error instanceof BrineError)) throw error;
    throw new TargetError(messageOf(error), positionOf(error), error);
  }
}

function parseKnown(tgt: Value, type: TargetType, delimiter: string, nodegroups: Dict): Target {
  switch (type) {
    case 'glob':
      return globTerm(textOf(tgt, type));
    case 'pcre':
      return pcreTerm(textOf(tgt, type));
    case 'list':
      return listTerm(Array.isArray(tgt) ? tgt.map(pyStr) : textOf(tgt, type));
    case 'grain':
    case 'grain_pcre':
    case 'pillar':
    case 'pillar_pcre':
    case 'pillar_exact': {
      const onMinion = type === 'pillar_pcre' || type === 'pillar_exact' ? DEFAULT_DELIMITER : delimiter;
      const term = dataTerm(type, textOf(tgt, type), delimiter, onMinion);
      if (term.matcher.fault !== undefined)
        throw new TargetError(`Invalid ${type} target: ${term.matcher.fault}`);
      return term;
    }
    case 'ipcidr': {
      const term = ipcidrTerm(textOf(tgt, type));
      if (!term) throw new TargetError(`Invalid IP/CIDR target: ${pyStr(tgt)}`);
      return term;
    }
    case 'range':
      return { type, expression: textOf(tgt, type) };
    case 'compound':
    case 'compound_pillar_exact':
      return parseCompound(compoundWords(tgt, type), { type, nodegroups });
    case 'nodegroup':
      return parseNodegroup(textOf(tgt, type), nodegroups);
    case 'data':
    case 'data_pcre':
      return datastoreTerm(textOf(tgt, type), type);
  }
}

function parseNodegroup(name: string, nodegroups: Dict): Target {
  if (!nodegroups.has(name)) throw new TargetError(`Node group ${name} is not defined`);
  const { words } = expandNodegroup(name, nodegroups);
  return parseCompound(
    words.map((word) => ({ word, position: 0 })),
    { type: 'nodegroup', nodegroups },
  );
}

function datastoreTerm(text: string, type: 'data' | 'data_pcre'): Target {
  const [key = '', pattern] = text.split(DEFAULT_DELIMITER);
  if (pattern === undefined) throw new TargetError(`Invalid ${type} target: no delimiter ':' in '${text}'`);
  return { type, key, glob: compileGlob(pattern), lowerGlob: compileGlob(pattern.toLowerCase()) };
}

function compoundWords(tgt: Value, type: TargetType): readonly Word[] {
  if (!Array.isArray(tgt)) return splitWords(textOf(tgt, type));
  let position = 0;
  return tgt.map((item) => {
    const word = { word: textOf(item, type), position };
    position += word.word.length + 1;
    return word;
  });
}

function textOf(tgt: Value, type: TargetType): string {
  if (typeof tgt === 'string') return tgt;
  throw new TargetError(`A ${type} target must be text, not ${pyTypeName(tgt)}`);
}

/** What is said of a kind of target that does not exist. */
export function unknownType(tgtType: string): TargetError {
  const [closest] = closestNames(tgtType, TARGET_TYPES, 1);
  const hint =
    closest === undefined ? `known types: ${TARGET_TYPES.join(', ')}` : `did you mean '${closest}'?`;
  return new TargetError(`Unknown target type '${tgtType.slice(0, 100)}'; ${hint}`);
}

function positionOf(error: BrineError): number | undefined {
  return 'position' in error && typeof error.position === 'number' ? error.position : undefined;
}
