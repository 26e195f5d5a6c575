import { canRead, inRepo } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created } from '../../http/reply.ts'
import { GenerateRepoOption } from './generate.schemas.ts'
import { generateRepo as generate } from './generate.service.ts'
import { presentMadeRepo } from '../repo.present.ts'
import { Repository } from '../repo.schemas.ts'

export const generateRepo = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/generate',
  scope: 'repository',
  cost: 'expensive',
  refuses: [409],
  requires: [inRepo, signedIn, canRead('code'), validBody],
  body: GenerateRepoOption,
  reply: { 201: Repository },
  summary: 'Create a repository from a template',
  async run({ ctx, body }) {
    const { repo, owner } = await generate(ctx, {
      owner: body.owner ?? '',
      name: body.name,
      description: body.description ?? '',
      isPrivate: body.private ?? false,
      defaultBranch: body.default_branch ?? '',
      takes: {
        gitContent: body.git_content ?? false,
        topics: body.topics ?? false,
        labels: body.labels ?? false,
        avatar: body.avatar ?? false,
        webhooks: body.webhooks ?? false,
        gitHooks: body.git_hooks ?? false,
        protectedBranch: body.protected_branch ?? false,
      },
    })
    return created(await presentMadeRepo(ctx, repo, owner))
  },
})
