/** The option `providers`: which of several files stands for a module. */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Value } from '../../python/values/value.ts';
import type { ModuleEntry } from './module-entry.ts';

/**
 * What `providers` asks for in vain.
 * @param providers module to the name of its file
 * @returns a sentence for each entry that chooses nothing
 */
export function idleProviders(providers: Value | undefined, table: readonly ModuleEntry[]): string[] {
  if (!isDict(providers)) return [];
  return [...providers].flatMap(([name, file]) => {
    const module = pyStr(name);
    const files = table.filter((entry) => entry.name === module).map((entry) => entry.file);
    if (!truthy(file) || files.includes(pyStr(file))) return [];
    const there =
      files.length === 0 ? `there is no module ${module}` : `for ${module} there is ${files.join(', ')}`;
    return [`providers: ${module}: ${pyStr(file)} has no effect, since ${there}.`];
  });
}
