/** `log`: tells of lines of a file that match regular expressions (salt/beacons/log_beacon.py, 3006.16). */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { compilePattern, type PyPattern } from '../../python/regex/pattern.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { param, readOptions } from '../../runtime/loader/params.ts';
import { defineBeacon, listToDict, VALID } from '../shared/beacon/beacon.ts';

/** New text that is read at one look; of more the beginning is left out. */
const READ_BYTES_MAX = 16 * 1024 * 1024;

const event = (tag: Value, fields: { raw?: string; match?: string; error?: string }): Dict =>
  dict({ tag, match: 'no', raw: '', error: '', ...fields });

/** How far a file was read. */
interface Place {
  inode: number;
  offset: number;
}

/**
 * What was added to a file. Salt compat: Salt forgets what comes after a rotation until the new file is as long as the
 * old one was; here a new or shorter file is read from its beginning.
 */
function readNew(path: string, last: Place | undefined): { text: string; place: Place } {
  const file = openSync(path, 'r');
  try {
    const { size, ino } = fstatSync(file);
    const place = { inode: ino, offset: size };
    if (last === undefined) return { text: '', place };
    const isSame = last.inode === ino && last.offset <= size;
    const start = Math.max(isSame ? last.offset : 0, size - READ_BYTES_MAX);
    const bytes = Buffer.alloc(size - start);
    const count = readSync(file, bytes, 0, bytes.length, start);
    return { text: bytes.toString('utf8', 0, count), place };
  } finally {
    closeSync(file);
  }
}

/** What is said of one tag. */
const TAG_OPTIONS = {
  regex: param.textIfGiven({ default: null, doc: 'matched from the beginning of a line' }),
};

/** `{tag: {regex: …}}`: expressions by tag. */
function readTags(value: Value): [tag: Value, regex: string][] {
  return [...(isDict(value) ? value : [])].flatMap(([tag, options]): [Value, string][] => {
    const { regex } = readOptions(TAG_OPTIONS, isDict(options) ? options : dict());
    return regex === undefined ? [] : [[tag, regex]];
  });
}

function compileTags(tags: readonly [tag: Value, regex: string][], events: Dict[]): Map<Value, PyPattern> {
  const out = new Map<Value, PyPattern>();
  for (const [tag, regex] of tags) {
    try {
      out.set(tag, compilePattern(regex));
    } catch {
      events.push(event(tag, { error: 'bad regex' }));
    }
  }
  return out;
}

function matchLine(line: string, tag: Value, pattern: PyPattern): Dict | undefined {
  try {
    return pattern.matchStart(line) === undefined ? undefined : event(tag, { raw: line, match: 'yes' });
  } catch {
    return event(tag, { error: 'bad match' });
  }
}

/** The beacon. */
export const logBeacon = defineBeacon({
  name: 'log',
  doc: 'Reports new lines of a file that match.',
  params: {
    file: param.text({ default: null, doc: 'path of the log' }),
    tags: param.by(readTags, {
      type: 'dict',
      default: null,
      doc: "`regex` by tag, the end of its events' tag",
    }),
  },
  validate: (config) => {
    if (!Array.isArray(config)) return [false, 'Configuration for log beacon must be a list.'];
    if (!listToDict(config).has('file'))
      return [false, 'Configuration for log beacon must contain file option.'];
    return VALID;
  },
  start: () => {
    let place: Place | undefined;
    return {
      look: ({ file, tags }) => {
        const found = readNew(file, place);
        place = found.place;
        const events: Dict[] = [];
        if (found.text === '') return events;
        const patterns = compileTags(tags, events);
        for (const line of found.text.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/)) {
          for (const [tag, pattern] of patterns) {
            const told = line === '' ? undefined : matchLine(line, tag, pattern);
            if (told !== undefined) events.push(told);
          }
        }
        return events;
      },
    };
  },
});
