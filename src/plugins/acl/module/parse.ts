/** What `getfacl` prints, as mappings. Follows 3006.16 salt/modules/linux_acl.py. */
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';

const RIGHTS = [
  ['r', 'read', 4],
  ['w', 'write', 2],
  ['x', 'execute', 1],
] as const;

/** One line: `user:joe:r-x`, `default:group::r--`. */
interface Entry {
  readonly isDefault: boolean;
  readonly kind: string;
  readonly name: string;
  readonly rights: Dict;
}

/** A name without the signs by which getfacl marks what is not plain in it: `DOMAIN\\134joe`. */
function plainName(quoted: string): string {
  if (!quoted.includes('\\')) return quoted;
  const latin1 = Buffer.from(quoted).toString('latin1');
  const bytes = latin1.replace(/\\(?:([0-7]{3})|\\)/g, (_, octal: string | undefined) =>
    octal === undefined ? '\\' : String.fromCharCode(parseInt(octal, 8)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}

function entryOf(line: string, comment: Dict): Entry {
  const fields = line.split(':');
  const isDefault = fields[0] === 'default';
  if (isDefault) fields.shift();
  const kind = fields[0] ?? '';
  const own = kind === 'user' ? comment.get('owner') : kind === 'group' ? comment.get('group') : undefined;
  const word = fields.at(-1) ?? '';
  const held = RIGHTS.filter(([letter]) => word.includes(letter));
  return {
    isDefault,
    kind,
    name: fields[1] === '' && typeof own === 'string' ? own : plainName(fields[1] ?? ''),
    rights: dict({
      permissions: Object.fromEntries(RIGHTS.map(([letter, name]) => [name, word.includes(letter)])),
      octal: held.reduce((sum, [, , octal]) => sum + octal, 0),
    }),
  };
}

/** The mapping under a key, which is made where there is none. */
function mappingAt(map: Dict, key: string): Dict {
  const found = map.get(key);
  if (isDict(found)) return found;
  const made = dict();
  map.set(key, made);
  return made;
}

function add(of: Dict, { kind, name, rights, isDefault }: Entry): void {
  const map = isDefault ? mappingAt(of, 'defaults') : of;
  if (kind === 'user' || kind === 'group') {
    const list = map.get(kind);
    map.set(kind, [...(Array.isArray(list) ? list : []), new Map<Value, Value>([[name, rights]])]);
  } else if (kind === 'other' || kind === 'mask') map.set(kind, [new Map<Value, Value>([['', rights]])]);
}

function addComment(of: Dict, key: string, value: string): void {
  mappingAt(of, 'comment').set(key, value);
  if (key !== 'flags') return;
  for (const [at, letter, name] of [
    [0, 's', 'suid'],
    [1, 's', 'sgid'],
    [2, 't', 'sticky'],
  ] as const)
    if (value[at] === letter) of.set(name, true);
}

/** Access control lists by path. */
export function aclsIn(output: string): Dict {
  const found = dict();
  let current = dict();
  for (const line of output.split('\n')) {
    if (line === '' || line.startsWith('getfacl')) continue;
    if (!line.startsWith('#')) {
      add(current, entryOf(line, mappingAt(current, 'comment')));
      continue;
    }
    const [key = '', ...rest] = line.replaceAll('# ', '').split(': ');
    const value = plainName(rest.join(': '));
    if (key === 'file') {
      current = dict({ comment: {}, user: [], group: [] });
      found.set(value, current);
    }
    addComment(current, key, value);
  }
  return found;
}
