import { gitRepo, inRepo, repoAdmin } from '../../../access/repo.requirements.ts'
import { gitHookEditor } from '../../../repos/git-hooks/git-hook.requirements.ts'
import { gitHookNamed, readGitHook, readGitHooks, writeGitHook } from '../../../repos/git-hooks/git-hook.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { metaOf, repositoryOf, settingsPath } from './frame.tsx'
import { GitHooksView, GitHookView } from './git-hooks.view.tsx'
import { repositorySettingsTexts as texts } from '../../languages/texts.ts'
import { text } from '../../ui/fields.ts'

/** Shows the scripts that git runs on the server. */
export const gitHooksPage = page({
  path: '/{username}/{reponame}/settings/hooks/git',
  twin: 'repoListGitHooks',
  cost: 'usual',
  requires: [inSession, inRepo, repoAdmin, gitHookEditor, gitRepo],
  isSecret: true,
  frame: inRepositoryFrame('settings'),
  load: async ({ ctx }) => ({ repository: repositoryOf(ctx), hooks: await readGitHooks(ctx) }),
  meta: ({ repository }) => metaOf('gitHooks', repository),
  view: GitHooksView,
})

/** Shows one script. */
export const gitHookPage = page({
  path: '/{username}/{reponame}/settings/hooks/git/{name}',
  twin: 'repoGetGitHook',
  cost: 'usual',
  requires: [inSession, inRepo, repoAdmin, gitHookEditor, gitRepo],
  isSecret: true,
  frame: inRepositoryFrame('settings'),
  load: async ({ ctx, params }) => ({
    repository: repositoryOf(ctx),
    hook: await readGitHook(ctx, gitHookNamed(params.name)),
  }),
  meta: ({ repository }) => metaOf('gitHooks', repository),
  view: GitHookView,
})

/** Writes a script; an empty one is removed. */
export const editGitHookSubmit = act({
  path: '/{username}/{reponame}/settings/hooks/git/{name}',
  edits: true,
  twin: 'repoEditGitHook',
  cost: 'usual',
  requires: [inRepo, repoAdmin, gitHookEditor, gitRepo],
  fields: { content: text },
  outlivesCredential: true,
  again: gitHookPage,
  async run({ ctx, params, body }) {
    // Browsers send line breaks of two characters, which no interpreter of scripts takes.
    const content = (body.content ?? '').replaceAll('\r\n', '\n')
    await writeGitHook(ctx, gitHookNamed(params.name), content)
    const notice = content.trim() === '' ? texts.gitHooks.removed : texts.gitHooks.saved
    return { to: settingsPath(ctx, 'hooks', 'git'), notice }
  },
})
