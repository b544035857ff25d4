/** `http_logstash`: posts events to a URL, as JSON (salt/engines/http_logstash.py, 3006.16). */
import { eventJson } from '../shared/engine/event-json.ts';
import { messageOf } from '../../errors/errors.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { param } from '../../runtime/loader/params.ts';
import { sendHttp } from '../../network/http/client.ts';
import { defineEngine, EngineRefusal } from '../shared/engine/engine.ts';

const TIMEOUT_MS = 30_000;

/** The engine. */
export const httpLogstashEngine = defineEngine({
  name: 'http_logstash',
  doc: 'Posts the data of events to a URL as JSON, one request for each, one after the other.',
  params: {
    url: param.text({ doc: 'Where to.' }),
    funs: param.listIfGiven({
      default: null,
      doc: 'Only events of these functions, and those that are of none.',
    }),
    tags: param.listIfGiven({ default: null, doc: 'Only events whose tag matches one of these globs.' }),
  },
  start: async (ctx, { url, funs, tags }) => {
    if (!URL.canParse(url)) throw new EngineRefusal('url is no URL');
    const target = new URL(url);
    const globs = (tags ?? []).map(pyStr);
    const wanted = (tag: string): boolean => globs.length === 0 || globs.some((glob) => fnmatch(tag, glob));
    for await (const { data } of ctx.events(wanted)) {
      if (funs !== undefined && funs.length > 0 && data.has('fun') && !funs.includes(data.get('fun') ?? null))
        continue;
      try {
        const headers = new Map([['Content-Type', 'application/json']]);
        const body = eventJson(data);
        const { status } = await sendHttp({
          method: 'POST',
          url: target,
          headers,
          body,
          timeoutMs: TIMEOUT_MS,
          clock: ctx.clock,
        });
        if (status >= 400) ctx.log.error(`http_logstash: ${target.host} answered ${status} to an event.`);
      } catch (error) {
        ctx.log.error(`http_logstash: an event was not taken: ${messageOf(error)}`);
      }
    }
  },
});
