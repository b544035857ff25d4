/** `tls`: how long certificates are valid (3006.16 salt/states/tls.py). Nothing is ever changed. */
import { messageOf } from '../../errors/errors.ts';
import { isOsError, osErrorText } from '../../python/os-errors.ts';
import { isDict, toNumber } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
const DAY_SECONDS = 24 * HOUR_SECONDS;

const count = (doc: string): ReturnType<typeof param.count> => param.count({ default: 0, doc });

/** A time as Python's timedelta is written: `2 days, 3:04:05.000006`. */
function spanText(seconds: number): string {
  const days = Math.floor(seconds / DAY_SECONDS);
  const rest = seconds - days * DAY_SECONDS;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const micros = Math.floor((rest % 1) * 1e6);
  const hours = Math.floor(rest / HOUR_SECONDS);
  const clock = `${hours}:${two((rest % HOUR_SECONDS) / MINUTE_SECONDS)}:${two(rest % MINUTE_SECONDS)}`;
  const fraction = micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`;
  const text = days === 0 ? '' : `${days} day${Math.abs(days) === 1 ? '' : 's'}, `;
  return `${text}${clock}${fraction}`;
}

/** The states of `tls`. */
export const tlsStates = defineModule({
  name: 'tls',
  file: 'tls',
  doc: 'How long certificates are valid.',
  functions: {
    valid_certificate: defineState({
      doc: 'Checks that a certificate is valid, and will be for some time.',
      params: {
        name: param.text({ doc: 'The file.' }),
        weeks: count('Weeks that it has to be valid.'),
        days: count('Days besides.'),
        hours: count('Hours besides.'),
        minutes: count('Minutes besides.'),
        seconds: count('Seconds besides.'),
      },
      run: async (ctx, { name, weeks, days, hours, minutes, seconds }) => {
        const now = ctx.clock.nowMs() / 1000;
        let info;
        try {
          info = await ctx.functions.call('tls.cert_info', [name]);
        } catch (error) {
          if (!isOsError(error)) throw error;
          ctx.log.error(messageOf(error));
          return failure(name, osErrorText(error));
        }
        const time = (key: string): number => toNumber(isDict(info) ? (info.get(key) ?? null) : null) ?? 0;
        if (now < time('not_before')) return failure(name, 'Certificate is not yet valid');
        const left = time('not_after') - now;
        if (left < 0) return failure(name, 'Certificate is expired');
        const wanted =
          (7 * weeks + days) * DAY_SECONDS + hours * HOUR_SECONDS + minutes * MINUTE_SECONDS + seconds;
        if (left < wanted)
          return failure(
            name,
            `Certificate will expire in ${spanText(left)}, which is less than ${spanText(wanted)}`,
          );
        return outcome(name, true, `Certificate is valid for ${spanText(left)}`);
      },
    }),
  },
});
