/** `schedule.*`: the minion's scheduled jobs (3006.16 salt/modules/schedule.py). */
import { defineFunction, defineModule, type FunctionSpec } from '../../runtime/loader/module.ts';
import type { Value } from '../../python/values/value.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { addJob, deleteJob, modifyJob, purgeJobs } from './module/change.ts';
import { buildItem } from './module/item.ts';
import { listJobs, withSaved } from './module/listing.ts';
import {
  jobStatus,
  nextFireTime,
  postponeJob,
  reloadJobs,
  runJob,
  saveJobs,
  sendJob,
  setJobEnabled,
  setScheduleEnabled,
  skipJob,
  TIME_FORMAT,
} from './module/orders.ts';
import { param } from '../../runtime/loader/params.ts';

const name = param.value({ type: 'str', doc: 'The name of the job.' });
const kwargs = 'kwargs';
const jobFields =
  'Keywords: `function`, `job_args`, `job_kwargs`, a time (`seconds`, `minutes`, `hours`, `days`, `when`, `cron`, `once`), and ' +
  '`splay`, `range`, `until`, `after`, `maxrunning`, `returner`, `return_job`, `metadata`, `run_on_start`, `skip_during_range`…; ' +
  '`persist=False` keeps the change out of the saved file, `offline=True` changes only that file.';
const changed = 'mapping of `comment`, `result` and `changes`';
const said = 'mapping of `comment` and `result`';

function toggle(isEnabled: boolean): FunctionSpec {
  const verb = isEnabled ? 'Enables' : 'Disables';
  return defineFunction({
    doc: `${verb} a job.`,
    params: { name },
    kwargs,
    returns: changed,
    examples: [`salt '*' schedule.${isEnabled ? 'enable' : 'disable'}_job job1`],
    run: (ctx, args, _rest, keywords) => setJobEnabled(ctx, args.name, isEnabled, keywords),
  });
}

function toggleAll(isEnabled: boolean): FunctionSpec {
  return defineFunction({
    doc: `${isEnabled ? 'Enables' : 'Disables'} all scheduled jobs.`,
    kwargs,
    returns: changed,
    run: (ctx, _args, _rest, keywords) => setScheduleEnabled(ctx, isEnabled, keywords),
  });
}

function send(isMove: boolean): FunctionSpec {
  return defineFunction({
    doc: `${isMove ? 'Moves' : 'Copies'} a job to other minions.`,
    params: { name, target: param.value({ type: 'str', doc: 'The minions, as a glob.' }) },
    kwargs,
    returns: 'mapping of `comment`, `result` and `minions`',
    examples: [`salt '*' schedule.${isMove ? 'move' : 'copy'} jobname target`],
    run: (ctx, args, _rest, keywords) => sendJob(ctx, args.name, args.target, isMove, keywords),
  });
}

/** The module `schedule`. */
export const scheduleModule = defineModule({
  name: 'schedule',
  file: 'schedule',
  doc: 'Jobs that a minion runs by itself at given times.',
  functions: {
    list: defineFunction({
      doc: 'Lists the scheduled jobs.',
      pythonName: 'list_',
      params: {
        show_all: param.flag({
          default: false,
          doc: "Also the minion's own jobs, whose names begin with `__`.",
        }),
        show_disabled: param.flag({ default: true, doc: 'Also disabled jobs.' }),
        where: param.value({
          default: null,
          type: 'str',
          doc: 'Only those of the `pillar`, or of the configuration (`opts`).',
        }),
        return_yaml: param.flag({ default: true, doc: 'As YAML text.' }),
        offline: param.flag({ default: false, doc: 'Those of the saved file.' }),
      },
      returns: 'YAML text, or mapping of name to job',
      examples: ["salt '*' schedule.list", "salt '*' schedule.list show_all=True where=pillar"],
      run: async (ctx, { show_all, show_disabled, where, return_yaml, offline }) => {
        const schedule = await listJobs(ctx, {
          showAll: show_all,
          showDisabled: show_disabled,
          where,
          isOffline: offline,
        });
        if (!return_yaml) return schedule;
        return dumpYaml(new Map<Value, Value>([['schedule', withSaved(ctx, schedule)]]));
      },
    }),
    is_enabled: defineFunction({
      doc: 'Returns whether the schedule is enabled, or shows a job.',
      params: { name: param.valueIfGiven({ ...name, default: null }) },
      returns: 'bool; with a name the job, or an empty mapping',
      run: async (ctx, args) => {
        const schedule = await listJobs(ctx, { showAll: false });
        if (args.name !== undefined) return schedule.get(args.name) ?? new Map<Value, Value>();
        return schedule.get('enabled') ?? true;
      },
    }),
    purge: defineFunction({
      doc: 'Deletes all jobs.',
      kwargs,
      returns: changed,
      run: (ctx, _args, _rest, keywords) => purgeJobs(ctx, keywords),
    }),
    delete: defineFunction({
      doc: 'Deletes a job.',
      params: { name },
      kwargs,
      returns: changed,
      examples: ["salt '*' schedule.delete job1"],
      run: (ctx, args, _rest, keywords) => deleteJob(ctx, args.name, keywords),
    }),
    build_schedule_item: defineFunction({
      doc: `Shows the job that keywords make. ${jobFields}`,
      params: { name },
      kwargs,
      returns: 'the job as mapping',
      examples: ["salt '*' schedule.build_schedule_item job1 function='test.ping' seconds=3600"],
      run: (_ctx, args, _rest, keywords) => buildItem(args.name, keywords),
    }),
    add: defineFunction({
      doc: `Adds a job. ${jobFields}`,
      params: { name },
      kwargs,
      returns: changed,
      examples: [
        "salt '*' schedule.add job1 function='test.ping' seconds=3600",
        `salt '*' schedule.add job2 function='cmd.run' job_args="['date >> /tmp/date.log']" seconds=60`,
      ],
      run: (ctx, args, _rest, keywords) => addJob(ctx, args.name, keywords),
    }),
    modify: defineFunction({
      doc: `Replaces a job. ${jobFields}`,
      params: { name },
      kwargs,
      returns: changed,
      examples: ["salt '*' schedule.modify job1 function='test.ping' seconds=3600"],
      run: (ctx, args, _rest, keywords) => modifyJob(ctx, args.name, keywords),
    }),
    run_job: defineFunction({
      doc: 'Runs a job now.',
      params: { name, force: param.flag({ default: false, doc: 'Also a disabled one.' }) },
      returns: said,
      run: (ctx, args) => runJob(ctx, args.name, args.force),
    }),
    enable_job: toggle(true),
    disable_job: toggle(false),
    save: defineFunction({
      doc: 'Writes the jobs that are not from the pillar to the saved file.',
      kwargs,
      returns: said,
      run: (ctx, _args, _rest, keywords) => saveJobs(ctx, keywords),
    }),
    enable: toggleAll(true),
    disable: toggleAll(false),
    reload: defineFunction({
      doc: 'Reads the jobs of the pillar and of `minion.d/schedule.conf` again.',
      pythonName: 'reload_',
      returns: said,
      run: (ctx) => reloadJobs(ctx),
    }),
    move: send(true),
    copy: send(false),
    postpone_job: defineFunction({
      doc: 'Runs a job at another time, once.',
      params: {
        name,
        current_time: param.value({ type: 'str', doc: 'The time at which it is not to run.' }),
        new_time: param.value({ type: 'str', doc: 'The time at which it is to run.' }),
      },
      kwargs,
      returns: said,
      examples: ["salt '*' schedule.postpone_job job 2026-11-21T16:00:00 2026-11-21T18:00:00"],
      run: (ctx, args, _rest, keywords) =>
        postponeJob(ctx, args.name, args.current_time, args.new_time, keywords),
    }),
    skip_job: defineFunction({
      doc: 'Has a job not run at a time, once.',
      params: {
        name,
        current_time: param.value({ type: 'str', doc: 'The time at which it is not to run.' }),
      },
      kwargs,
      returns: said,
      examples: ["salt '*' schedule.skip_job job 2026-11-21T16:00:00"],
      run: (ctx, args, _rest, keywords) => skipJob(ctx, args.name, args.current_time, keywords),
    }),
    show_next_fire_time: defineFunction({
      doc: 'Shows when a job runs next.',
      params: { name },
      kwargs,
      returns: 'mapping of `result` and `next_fire_time`',
      run: (ctx, args) => nextFireTime(ctx, args.name),
    }),
    job_status: defineFunction({
      doc: 'Shows all that the scheduler knows of a job.',
      params: { name, time_fmt: param.text({ default: TIME_FORMAT, doc: 'How to write times.' }) },
      returns: 'mapping; fields that begin with `_` are times and states',
      run: (ctx, args) => jobStatus(ctx, args.name, args.time_fmt),
    }),
  },
});
