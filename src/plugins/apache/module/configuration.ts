/** Configuration of Apache out of nested data. Follows 3006.16 salt/modules/apache.py `_parse_config`. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';

const hasThis = (item: Value): item is Dict => isDict(item) && item.has('this');

/** A section as a list of mappings, one of which names what it is for. */
function listedSection(items: readonly Value[], slot: string): string {
  const opened = pyStr(items.findLast(hasThis)?.get('this') ?? null);
  const lines = items.flatMap((item) =>
    isDict(item)
      ? [...item].flatMap(([key, value]) =>
          key === 'this' ? [] : [`${configurationText(value, pyStr(key))}\n`],
        )
      : [],
  );
  return `<${slot} ${opened}>\n${lines.join('')}</${slot}>\n`;
}

function section(content: Dict, slot: string): string {
  if (!content.has('this'))
    throw new CommandExecutionError(
      `Apache section container "<${slot}>" expects attribute. Specify it using key "this".`,
    );
  const lines = [...content].flatMap(([key, value]) => {
    if (key === 'this') return [];
    if (typeof value === 'string') return [`${pyStr(key)} ${value}\n`];
    return Array.isArray(value) || isDict(value) ? [`${configurationText(value, pyStr(key))}\n`] : [];
  });
  return `<${slot} ${pyStr(content.get('this') ?? null)}>\n${lines.join('')}</${slot}>\n`;
}

/**
 * The text of a directive (a text), of several (a list), or of a section (a mapping with the key `this`).
 * @param slot the directive or the section
 * @throws CommandExecutionError for a section without `this`
 */
export function configurationText(content: Value, slot: string): string {
  if (typeof content === 'string') return slot === '' ? content : `${slot} ${content}`;
  if (isDict(content)) return section(content, slot);
  if (!Array.isArray(content)) return '';
  return content.some(hasThis)
    ? listedSection(content, slot)
    : content.map((item) => `${configurationText(item, slot)}\n`).join('');
}
