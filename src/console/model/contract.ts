/**
 * What version 2 of the API sends and takes (docs/guides/api-v2.md). The types of its answers are those of the client
 * that is made from its table of routes; here is what has no name there. Times are ISO 8601 in UTC.
 */
import type { Finding } from '../../api-client/operations.ts';

export type {
  Counts,
  Drift,
  Finding,
  FunctionDetail,
  FunctionSummary,
  Job,
  JobDetail,
  Key,
  KeyState,
  LoginOptions,
  Me,
  Minion,
  MinionData,
  MinionDetail,
  MinionOutcome,
  NewJob,
  Orchestration,
  OrchestrationDetail,
  OrchestrationStep,
  OutcomeName,
  Param,
  Preview,
  Return,
  Role,
  Run,
  Started,
  StateFile,
  Template,
  TemplateCall,
  TargetType,
  Token,
} from '../../api-client/operations.ts';

/** What a log-in takes. */
export interface LoginForm {
  readonly eauth: string;
  readonly username: string;
  readonly password: string;
}

/** Part of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
  readonly total?: number;
}

/** An event of the bus. */
export interface LiveEvent {
  readonly tag: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly stamp: string | null;
}

/** The verdict of `manage.doctor`. */
export interface Doctor {
  readonly state: 'well' | 'warning' | 'ill';
  readonly findings: readonly Finding[];
  readonly at: string;
}
