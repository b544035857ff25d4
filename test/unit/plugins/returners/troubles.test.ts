import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, LOG_LEVELS } from '../../../../src/host/log.ts';
import { OneConnection } from '../../../../src/plugins/shared/returner/one-connection.ts';
import { ReturnerTroubles } from '../../../../src/plugins/shared/returner/troubles.ts';

test('returners - one that fails is told once, and once when it works again', () => {
  const lines: string[] = [];
  const write = ({ level, message }: { level: string; message: string }): void =>
    void lines.push(`${level}: ${message}`);
  const log = createLogger('test', [{ level: LOG_LEVELS.info, write }]);
  const troubles = new ReturnerTroubles();
  troubles.succeeded('http', log);
  for (const jid of ['1', '2', '3']) troubles.failed('http', jid, new Error('it is away.'), log);
  troubles.failed('smtp', '3', new Error('no'), log);
  troubles.succeeded('http', log);
  troubles.succeeded('http', log);
  troubles.failed('http', '4', new Error('again'), log);
  const rest = 'Until http takes a return again, others that it does not take are only counted.';
  assert.deepEqual(lines, [
    `error: The return failed for job 1: http: it is away. ${rest}`,
    `error: The return failed for job 3: smtp: no. ${rest.replace('http', 'smtp')}`,
    'warning: The returner http takes returns again; 3 did not get there.',
    `error: The return failed for job 4: http: again. ${rest}`,
  ]);
});

test('connections - one is shared, and made anew when it was cut, failed, or could not be made', async () => {
  const made: { id: number; open: boolean }[] = [];
  const closed: number[] = [];
  let refuses = true;
  const connections = new OneConnection<{ id: number; open: boolean }>({
    open: () => {
      if (refuses) return Promise.reject(new Error('refused'));
      const connection = { id: made.length, open: true };
      made.push(connection);
      return Promise.resolve(connection);
    },
    close: ({ id }) => void closed.push(id),
    isOpen: ({ open }) => open,
    isAnswer: (error) => (error as Error).message === 'no',
  });
  const use = (failure?: string): Promise<number> =>
    connections.use(({ id }) =>
      failure === undefined ? Promise.resolve(id) : Promise.reject(new Error(failure)),
    );
  await assert.rejects(use(), /refused/);
  refuses = false;
  assert.deepEqual(await Promise.all([use(), use()]), [0, 0]);
  await assert.rejects(use('no'), /no/);
  assert.equal(await use(), 0, 'who says no is still there');
  await assert.rejects(use('cut'), /cut/);
  assert.equal(await use(), 1);
  (made[1] as { open: boolean }).open = false;
  assert.equal(await use(), 2, 'what was cut meanwhile is not even tried');
  await connections.close();
  assert.deepEqual(closed, [0, 1, 2]);
});
