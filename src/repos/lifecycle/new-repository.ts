import type { Ctx } from '../../access/context.ts'
import { refusePrivate } from '../../access/credential-limits.ts'
import type { NewRepository } from './repo-creation.service.ts'
import type { CreateRepoOption } from '../repo.schemas.ts'

/** Returns the settings of a new repository. Throws `Forbidden` when a public-only token asks for a private one. */
export function newRepositoryOf({ viewer }: Ctx, body: CreateRepoOption): NewRepository {
  refusePrivate(viewer, body.private ?? false)
  return {
    name: body.name,
    description: body.description,
    isPrivate: body.private,
    isTemplate: body.template,
    defaultBranch: body.default_branch,
    trustModel: body.trust_model,
    objectFormat: body.object_format_name,
    labelSet: body.issue_labels,
    autoInit: body.auto_init,
    readme: body.readme,
    gitignores: body.gitignores,
    license: body.license,
  }
}
