/**
 * The members of a rar archive, out of what `rar lt` and `unrar lt` print: a block of `field: value` lines for each.
 */
import type { ArchiveMember } from './members.ts';

/** @param text the program's output */
export function readRarList(text: string): ArchiveMember[] {
  const members: ArchiveMember[] = [];
  for (const block of text.split(/\n(?=\s*Name: )/)) {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const [, field, value] = /^\s*(\w[\w ]*): (.*)$/.exec(line) ?? [];
      if (field !== undefined && !fields.has(field)) fields.set(field, value ?? '');
    }
    const [name, type = '', target] = ['Name', 'Type', 'Target'].map((field) => fields.get(field));
    if (name === undefined) continue;
    const sizeBytes = Number(fields.get('Size') ?? 0) || 0;
    members.push({ name, kind: kindOf(type), sizeBytes, ...(target === undefined ? {} : { target }) });
  }
  return members;
}

function kindOf(type: string): ArchiveMember['kind'] {
  if (type === 'Directory') return 'folder';
  if (/^(?:Hard link|File reference)/.test(type)) return 'hardlink';
  return /link|junction/i.test(type) ? 'symlink' : 'file';
}
