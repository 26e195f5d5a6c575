import type { NewRepository } from './repo-creation.service.ts'
import type { CreateRepoOption } from '../repo.schemas.ts'

/** The settings of a new repository. */
export const newRepositoryOf = (body: CreateRepoOption): NewRepository => ({
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
})
