import { Type, type Static } from 'typebox'
import { enumeration, nullable, object } from '../../http/schema.ts'

export const JobAnnotation = object('ActionJobAnnotation', {
  job_id: Type.Integer(),
  /** The line of the job's log, from 0. */
  log_line: Type.Integer(),
  annotation_level: enumeration('failure', 'warning', 'notice'),
  /** The file in the repository; empty for an annotation of the job. */
  path: Type.String(),
  /** The page of the file at the commit of the run; empty without a file. */
  blob_href: Type.String(),
  start_line: nullable(Type.Integer()),
  end_line: nullable(Type.Integer()),
  start_column: nullable(Type.Integer()),
  end_column: nullable(Type.Integer()),
  title: Type.String(),
  message: Type.String(),
})
export type JobAnnotation = Static<typeof JobAnnotation>

export const JobSummary = object('ActionJobSummary', {
  steps: Type.Array(
    object('ActionStepSummary', {
      number: Type.Integer(),
      /** The Markdown that the step wrote. */
      content: Type.String(),
      /** Null when the answer has no room for it. */
      html: nullable(Type.String()),
    }),
  ),
})
