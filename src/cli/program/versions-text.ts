/** What `-V` prints, of commands and of daemons. */
import { systemClock } from '../../host/clock.ts';
import { silentLogger } from '../../host/log.ts';

/** The report of `-V`, the same as that of `test.versions_report`: the grains name the system. */
export async function versionsText(): Promise<string> {
  const [{ versionsInformation, versionsReport }, { collectGrains }] = await Promise.all([
    import('../../runtime/loader/versions.ts'),
    import('../../plugins/grains/core/collect.ts'),
  ]);
  const grains = await collectGrains({
    opts: new Map(),
    log: silentLogger,
    clock: systemClock,
    lookupWaitMs: 0,
  });
  return `${versionsReport(versionsInformation(grains)).join('\n')}\n`;
}
