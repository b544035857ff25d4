/** What `rabbitmqctl` prints. Follows 3006.16 salt/modules/rabbitmq.py `_output_to_dict` and its kin. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { splitLines } from '../../../python/values/text.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { Ended } from '../../shared/program.ts';

/** False for headings, warnings and the last line of a listing. */
function isData(line: string): boolean {
  return !(
    line === '' ||
    line.includes('...done') ||
    line.startsWith('WARNING:') ||
    (line.startsWith('Listing') && (line.endsWith('...') || !line.includes('\t')))
  );
}

/** @throws CommandExecutionError for a program that failed, or said something on its error output */
export function checked(ended: Ended): Ended {
  if (ended.retcode === 0 && ended.stderr === '') return ended;
  throw new CommandExecutionError(`RabbitMQ command failed: ${ended.stderr}`);
}

/** The lines with data. */
export function dataLines(text: string): string[] {
  return splitLines(text).filter(isData);
}

/** The words of all lines with data. */
export function dataWords(text: string): string[] {
  return dataLines(text).flatMap((line) => line.split(/\s+/).filter((word) => word !== ''));
}

/** Lines of a key and its values with tabs between them. A key without values has the empty text. */
export function dataByKey(
  text: string,
  read: (values: string) => Value = (values) => values.split('\t'),
): Dict {
  return new Map(
    dataLines(text).map((line): [Value, Value] => {
      const at = line.indexOf('\t');
      return at < 0 ? [line, ''] : [line.slice(0, at), read(line.slice(at + 1))];
    }),
  );
}

/** The tags of a user: `[administrator, monitoring]`. */
export function tagsOf(text: string): string[] {
  const inside = text.slice(1, -1);
  return inside.includes(',') ? inside.split(',').map((tag) => tag.trim()) : inside.split(' ');
}
