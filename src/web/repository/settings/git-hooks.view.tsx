import type { StoredGitHook } from '../../../repos/git-hooks/git-hook.service.ts'
import { Submit } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { repositorySettingsTexts } from '../../languages/texts.ts'

const texts = repositorySettingsTexts.gitHooks

/** The scripts that git runs on the server for each push. */
export const GitHooksView = ({
  repository,
  hooks,
}: {
  readonly repository: SettingsRepository
  readonly hooks: readonly StoredGitHook[]
}) => (
  <SettingsFrame repository={repository} part="gitHooks" lead={texts.lead}>
    <RowBox rows={hooks} links>
      {({ name, content }) => (
        <li class="row">
          <Icon name="terminal" class="row-icon" />
          <div class="row-main">
            <p class="line">
              <Link class="row-title" to={settingsPath(repository, 'hooks', 'git', name)} data-row-link="">
                {name}
              </Link>
              {content === undefined ? null : <Tag tone="good">{texts.active}</Tag>}
            </p>
            <p class="row-text">{texts.when[name]}</p>
          </div>
        </li>
      )}
    </RowBox>
  </SettingsFrame>
)

/** The form of one script. */
export const GitHookView = ({
  repository,
  hook,
}: {
  readonly repository: SettingsRepository
  readonly hook: StoredGitHook
}) => (
  <SettingsFrame repository={repository} part="gitHooks" title={hook.name} lead={texts.when[hook.name]}>
    <Form isEdit to={settingsPath(repository, 'hooks', 'git', hook.name)} class="stack">
      <TextArea
        name="content"
        label={texts.content}
        hint={texts.contentHint}
        value={hook.content}
        placeholder={texts.example}
        rows={20}
        isCode
      />
      <div class="form-acts">
        <Submit>{repositorySettingsTexts.save}</Submit>
        <ButtonLink kind="quiet" to={settingsPath(repository, 'hooks', 'git')}>
          {texts.cancel}
        </ButtonLink>
      </div>
    </Form>
  </SettingsFrame>
)
