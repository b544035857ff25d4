/** `rawfile_json`: one line of JSON for each return, added to a file (salt/returners/rawfile_json.py, 3006.16). */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { toJson } from '../../formats/json/text.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { returnerOptions } from '../shared/returner/options.ts';
import { param } from '../../runtime/loader/params.ts';

const DEFAULTS = new Map([['filename', '/var/log/salt/events']]);
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** Adds the lines with one write, so that others who add to the same file do not come between. */
async function append(ctx: ModuleContext, ret: Dict, values: readonly Value[]): Promise<null> {
  const filename = String((await returnerOptions(ctx, 'rawfile_json', ret, DEFAULTS)).get('filename'));
  const text = values.map((value) => `${toJson(value)}\n`).join('');
  try {
    // a return may hold secrets: a new file is for the minion's user; one that exists keeps its mode
    const file = await open(filename, APPEND, 0o600);
    try {
      await file.appendFile(text);
    } finally {
      await file.close();
    }
  } catch (error) {
    ctx.log.error(`Could not write to rawdata_json file ${filename}`);
    throw error;
  }
  return null;
}

export const rawfileJsonReturner = defineModule({
  name: 'rawfile_json',
  file: 'rawfile_json',
  doc: 'Adds each return as a line of JSON to the file `rawfile_json.filename` (/var/log/salt/events).',
  settings: [...DEFAULTS.keys()],
  functions: {
    returner: defineFunction({
      doc: 'Adds one return to the file.',
      params: { ret: param.mapping({ doc: 'The return, as the master gets it.' }) },
      returns: 'None',
      examples: ["salt '*' test.ping --return rawfile_json"],
      run: (ctx, { ret }) => append(ctx, ret, [ret]),
    }),
    event_return: defineFunction({
      doc: 'Adds events to the file, each as a line.',
      params: { events: { type: 'list', doc: 'Events, each a mapping of tag and data.' } },
      returns: 'None',
      run: (ctx, { events }) =>
        Array.isArray(events) && events.length > 0 ? append(ctx, new Map(), events) : null,
    }),
  },
});
