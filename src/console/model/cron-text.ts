/**
 * What is wrong with a cron expression, said before it is sent. The minion's own reading decides; it knows the clock
 * changes as well.
 */

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of the month', least: 1, most: 31 },
  {
    ...{ name: 'month', least: 1, most: 12 },
    names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' '),
  },
  { name: 'day of the week', least: 0, most: 7, names: 'sun mon tue wed thu fri sat'.split(' ') },
  { name: 'second', least: 0, most: 59 },
];
const ALIASES = /^@(midnight|hourly|daily|weekly|monthly|yearly|annually)$/i;

/** @returns a sentence; undefined for an expression that can be read */
export function cronProblem(text: string): string | undefined {
  const expression = text.trim().toLowerCase();
  if (ALIASES.test(expression)) return undefined;
  const parts = expression === '' ? [] : expression.split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6)
    return `A cron expression has five fields (minute, hour, day of the month, month, day of the week), such as */5 * * * *; this one has ${parts.length}.`;
  for (const [at, part] of parts.entries()) {
    const problem = fieldProblem(part, FIELDS[at] as Field);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fieldProblem(part: string, field: Field): string | undefined {
  for (const item of part.split(',')) {
    const [base = '', step, ...more] = item.split('/');
    if (more.length > 0 || (step !== undefined && !/^[1-9]\d{0,2}$/.test(step)))
      return `The step of ${item} in the field for the ${field.name} is no number above 0.`;
    const problem = baseProblem(base, field);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function baseProblem(base: string, field: Field): string | undefined {
  if (base === '*' || (field.name === 'day of the month' && base === 'l')) return undefined;
  const weekday = field.name === 'day of the week' ? /^(?:l(\w+)|(\w+)#[1-5])$/.exec(base) : null;
  const ends = weekday === null ? base.split('-') : [weekday[1] ?? weekday[2] ?? ''];
  if (ends.length > 2) return `${base} is no range of the ${field.name}.`;
  const { name, least, most, names = [] } = field;
  for (const end of ends) {
    if (names.includes(end)) continue;
    if (!/^\d{1,2}$/.test(end))
      return `${end === '' ? 'Nothing' : end} is no ${name}; write a number from ${least} to ${most}${names.length === 0 ? '' : `, or a name such as ${names[1] ?? ''}`}, or *.`;
    if (Number(end) < least || Number(end) > most)
      return `The ${name} ${end} is not between ${least} and ${most}.`;
  }
  return undefined;
}
