import { Editor } from '../ui/editor.tsx'
import { Submit } from '../ui/button.tsx'
import { Checkbox, Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { pathOf } from '../ui/paths.ts'
import type { RepositoryAddress } from './pull-paths.ts'
import { pullTexts as texts } from '../languages/texts.ts'

/**
 * The form that opens a pull request. The page that compares two branches shows it.
 * @param head a branch, or `owner:branch` of a fork
 */
export const NewPullForm = ({
  repository,
  base,
  head,
  title,
  description,
}: {
  readonly repository: RepositoryAddress
  readonly base: string
  readonly head: string
  readonly title: string
  readonly description: string
}) => (
  <Form
    to={pathOf(repository.owner, repository.name, 'pulls/new')}
    class="stack new-pull"
    hidden={{ base, head }}
    label={texts.newPull}
  >
    <Field name="title" label={texts.title} value={title} required isProse maxlength={255} />
    <Editor
      name="content"
      label={texts.description}
      isLabelShown
      value={description}
      rows={8}
      hint={texts.newHint}
      repository={repository}
      uploadTo={pathOf(repository.owner, repository.name, 'issues/attachments')}
    />
    <Checkbox name="draft" label={texts.createDraft} />
    <div class="form-acts">
      <Submit icon="git-pull-request">{texts.create}</Submit>
    </div>
  </Form>
)
