import type { ComponentChildren } from 'preact'
import { ActButton, SubmitRow } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { usePage } from '../../ui/page-context.ts'
import { sizeText } from '../../languages/amounts.ts'
import { pictureTexts as texts } from '../../languages/texts.ts'
import { Section } from '../../ui/section.tsx'

/** The picture of an account or repository, with the forms that replace and remove it. */
export const PictureSection = ({
  to,
  hasOwn,
  removeQuestion = texts.removeQuestion,
  children,
}: {
  /** Path of the form; `/delete` below it removes the picture. */
  readonly to: string
  /** There is an uploaded picture. */
  readonly hasOwn: boolean
  readonly removeQuestion?: string
  /** The picture as it is. */
  readonly children: ComponentChildren
}) => {
  const { config } = usePage()
  return (
    <Section title={texts.heading} id="picture">
      <div class="stack">
        {children}
        <Form to={to} class="stack" files>
          <Field
            name="avatar"
            type="file"
            label={texts.file}
            hint={texts.hint(sizeText(config.picture.avatarMaxFileSize))}
            accept="image/png,image/jpeg,image/gif,image/webp"
            required
          />
          <SubmitRow kind="plain" icon="upload">
            {texts.upload}
          </SubmitRow>
        </Form>
        {hasOwn ? (
          <ActButton to={`${to}/delete`} kind="danger" confirm={removeQuestion}>
            {texts.remove}
          </ActButton>
        ) : null}
      </div>
    </Section>
  )
}
