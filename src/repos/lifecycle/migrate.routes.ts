import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created } from '../../http/reply.ts'
import { MigrateRepoOptions } from './migrate.schemas.ts'
import { getMigrationOwner, migrateRepo } from './migrate.service.ts'
import { presentMadeRepo } from '../repo.present.ts'
import { Repository } from '../repo.schemas.ts'

/** Members that ask for something when they are true. */
const itemNames = ['lfs', 'issues', 'labels', 'milestones', 'pull_requests', 'releases', 'wiki'] as const

export const repoMigrate = operation({
  method: 'POST',
  path: '/repos/migrate',
  scope: 'repository',
  requires: [signedIn, validBody],
  body: MigrateRepoOptions,
  reply: { 201: Repository },
  async run({ ctx, body, call }) {
    const owner = await getMigrationOwner(ctx, { name: body.repo_owner, id: body.uid })
    const repo = await migrateRepo(ctx, owner, {
      address: body.clone_addr,
      credentials: { username: body.auth_username, password: body.auth_password, token: body.auth_token },
      service: body.service ?? '',
      items: itemNames.filter((name) => body[name] === true),
      name: body.repo_name,
      description: body.description,
      isPrivate: body.private,
      isMirror: body.mirror,
      mirrorInterval: body.mirror_interval,
      signal: call.signal,
    })
    return created(await presentMadeRepo(ctx, repo, owner))
  },
})
