/** Targets as they are typed: kinds, what the box sends, and how Salt's command line writes them. */

import type { TargetType } from './contract.ts';

/** Kinds of targets, with what the command line calls them and an example. */
export const TARGET_KINDS: readonly {
  readonly kind: TargetType;
  readonly name: string;
  readonly flag: string;
  readonly example: string;
}[] = [
  { kind: 'glob', name: 'Glob', flag: '', example: 'web*' },
  { kind: 'compound', name: 'Compound', flag: '-C ', example: 'G@os:Debian and not db*' },
  { kind: 'grain', name: 'Grain', flag: '-G ', example: 'os:Debian' },
  { kind: 'pillar', name: 'Pillar', flag: '-I ', example: 'role:frontend' },
  { kind: 'list', name: 'List', flag: '-L ', example: 'web1,web2,db1' },
  { kind: 'pcre', name: 'Regular expression', flag: '-E ', example: 'web[0-9]+\\.prod' },
  { kind: 'nodegroup', name: 'Nodegroup', flag: '-N ', example: 'frontends' },
  { kind: 'ipcidr', name: 'Subnet or address', flag: '-S ', example: '10.0.0.0/8' },
  { kind: 'grain_pcre', name: 'Grain, regular expression', flag: '-P ', example: 'os:(Debian|Ubuntu)' },
  { kind: 'pillar_pcre', name: 'Pillar, regular expression', flag: '-J ', example: 'role:front.*' },
];

/** A target as it stands in the box. */
export interface TypedTarget {
  readonly text: string;
  readonly kind: TargetType;
}

const KNOWN: ReadonlyMap<string, TargetType> = new Map(
  [...TARGET_KINDS.map(({ kind }) => kind), 'pillar_exact' as const].map((kind) => [kind, kind]),
);

/** A kind by its name, out of an address or of a job that was; what is none is a glob. */
export function targetKind(name: string | null | undefined): TargetType {
  return KNOWN.get(name ?? '') ?? 'glob';
}

/** What a target is sent as: lists are lists. */
export function sentTarget({ text, kind }: TypedTarget): { tgt: unknown; tgt_type: TargetType } {
  const tgt =
    kind === 'list'
      ? text
          .split(',')
          .map((id) => id.trim())
          .filter((id) => id !== '')
      : text.trim();
  return { tgt, tgt_type: kind };
}

/** The target of a job that was, as it stands in the box. */
export function boxedTarget(tgt: unknown, kind: string): TypedTarget {
  return { text: Array.isArray(tgt) ? tgt.join(',') : String(tgt), kind: targetKind(kind) };
}

/** Whether a target is the id of one minion, and not a pattern or a list. */
export function namesOne({ text, kind }: TypedTarget): boolean {
  const id = text.trim();
  if (kind === 'list') return id !== '' && !id.includes(',');
  return kind === 'glob' && /^[^*?[\]]+$/.test(id);
}

/** How a shell is told of it. */
export function shellTarget({ text, kind }: TypedTarget): string {
  const flag = TARGET_KINDS.find((each) => each.kind === kind)?.flag ?? '';
  return `${flag}${shellWord(text)}`;
}

/** A word for a shell, in quotation marks where it needs them. */
export function shellWord(word: string): string {
  return /^[\w.,:=@%/+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
