import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object } from '../../http/schema.ts'
import { User } from '../../users/user.schemas.ts'

export const Deployment = object('Deployment', {
  /** The id of the job that deploys. */
  id: Type.Integer(),
  sha: Type.String(),
  ref: Type.String(),
  task: Type.String(),
  environment: Type.String(),
  /** Empty while unknown. */
  environment_url: Type.String(),
  /** It follows the status of the job. */
  state: enumeration('pending', 'queued', 'in_progress', 'success', 'failure', 'error', 'inactive'),
  creator: nullable(User),
  /** The page of the job. */
  log_url: Type.String(),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type Deployment = Static<typeof Deployment>

export const Environments = object('EnvironmentsResponse', {
  total_count: Type.Integer(),
  environments: Type.Array(
    object('Environment', {
      name: Type.String(),
      deployments_count: Type.Integer(),
      latest_deployment: Deployment,
    }),
  ),
})
