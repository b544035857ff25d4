/** Answers of `http.query`: what came, field by field, or the error in its place. */
import { answered, readDict } from '../../runtime/loader/answered.ts';

/** `http.query`: the fields that were asked for; `error` is among them where there was one. */
export const httpAnswer = answered('http.query', readDict);
