/** Which options of `salt` cannot hold together. */
import type { OptionRules } from '../command-line/optparse.ts';
import { colorContradiction, colorIdle, logFileDependence, outputFileDependence } from './rules.ts';

const TARGET_TYPES = [
  ...['pcre', 'list', 'grain', 'grain_pcre', 'nodegroup', 'range', 'compound'],
  ...['pillar_target', 'pillar_pcre', 'ipcidr'],
];

/** What only a job that is published now can have. */
const OF_A_NEW_JOB = [
  ...[
    'batch',
    'batch_wait',
    'batch_safe_limit',
    'failhard',
    'subset',
    'return',
    'return_config',
    'return_kwargs',
  ],
  ...['metadata', 'module_executors', 'executor_opts', 'preview_target', 'doc', 'canary', 'abort_on'],
  ...TARGET_TYPES,
];

/** The rules of `salt`. */
export const saltRules: OptionRules = {
  contradictions: [
    {
      these: ['config_dump'],
      others: [
        ...OF_A_NEW_JOB,
        ...['async', 'static', 'progress', 'cli_summary', 'verbose', 'show_jid', 'show_timeout'],
        ...['gather_job_timeout', 'eauth', 'mktoken', 'watch'],
        ...['output', 'output_indent', 'output_file', 'force_color', 'state_output', 'state_verbose'],
        ...['delimiter', 'timeout', 'no_parse', 'args_separator'],
      ],
      why: '--config-dump prints the configuration, and publishes nothing',
    },
    // beside other options it lists whom the command would reach
    {
      these: ['preview_target'],
      others: ['subset', 'mktoken'],
      why: '--preview-target publishes nothing, and whom a subset reaches is drawn when the job is published',
    },
    {
      these: ['watch'],
      others: [...OF_A_NEW_JOB, 'async', 'static', 'progress'],
      why: '--watch follows a job that has been published already, and prints its returns as they come',
    },
    {
      these: ['canary'],
      others: ['batch', 'batch_safe_limit', 'static', 'async', 'subset', 'progress', 'doc'],
      why: 'a roll-out takes steps of its own, waits for each, and prints what returns',
    },
    {
      these: ['async'],
      others: ['static', 'progress', 'cli_summary', 'doc', 'show_timeout', 'gather_job_timeout'],
      why: '--async leaves before anything returns',
    },
    {
      these: ['async'],
      others: ['batch', 'batch_safe_limit'],
      why: '--async leaves before anything returns, and the next minions of a batch get the job when some have returned',
    },
    {
      these: ['batch'],
      others: ['batch_safe_limit', 'batch_safe_size'],
      why: '--batch says how many minions there are at a time, however many the target has',
    },
    {
      these: ['progress'],
      others: ['static', 'batch', 'batch_safe_limit', 'doc', 'output', 'output_file'],
      why: 'the bar stands in place of what returns',
    },
    colorContradiction,
  ],
  dependences: [
    { option: 'batch_wait', needs: ['batch', 'batch_safe_limit'] },
    { option: 'failhard', needs: ['batch', 'batch_safe_limit'] },
    { option: 'batch_safe_size', needs: ['batch_safe_limit'] },
    outputFileDependence,
    logFileDependence,
  ],
  idle: [colorIdle],
};
