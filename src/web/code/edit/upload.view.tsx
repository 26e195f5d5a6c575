import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { PageHead } from '../../ui/parts.tsx'
import { sizeText } from '../../languages/amounts.ts'
import { repositoryPath, revisionPath } from '../code-paths.ts'
import { CommitFields, leadOf, type CommitTarget } from './edit.view.tsx'
import { codeTexts } from '../../languages/texts.ts'

const texts = codeTexts.upload

/** The form to put files into a folder of a branch. */
export const UploadView = (
  props: CommitTarget & {
    readonly path: string
    readonly maxFiles: number
    readonly maxFileBytes: number
    /** Allowed extensions and media types; empty: all. */
    readonly types: string
  },
) => {
  const { repository, branch, path, maxFiles, maxFileBytes, types } = props
  return (
    <div class="narrow stack">
      <PageHead title={texts.title} lead={leadOf(props)} />
      <Form to={repositoryPath(repository, '_upload', branch, path)} files class="stack edit-form">
        <Field
          name="folder"
          label={texts.folder}
          value={path}
          hint={texts.folderHint}
          isTerse
          maxlength={500}
          placeholder="docs/images"
        />
        <Field
          name="files"
          type="file"
          multiple={maxFiles > 1}
          label={texts.files}
          hint={[texts.limits(maxFiles, sizeText(maxFileBytes)), ...(types === '' ? [] : [texts.types(types)])].join(
            ' ',
          )}
          class="drop-zone"
          required
          data-max-files={maxFiles}
          data-max-bytes={maxFileBytes}
          {...(types === '' ? {} : { accept: types })}
        />
        <CommitFields
          {...props}
          cancelTo={revisionPath(repository, 'src', { kind: 'branch', name: branch }, path)}
          summary={texts.defaultMessage}
          act={codeTexts.commitChanges}
        />
      </Form>
    </div>
  )
}
