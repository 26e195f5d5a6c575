import type { FoundCode } from '../../code/search/code-search.service.ts'
import { maxSearchLength } from '../../code/search/code-search.rules.ts'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Box } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { codeSearchTexts as texts } from '../languages/texts.ts'

/** The field of a search in code. */
export const CodeSearchForm = ({ to, text }: { readonly to: string; readonly text: string }) => (
  <Form to={to} method="get" role="search" class="filters" label={texts.label}>
    <Field
      type="search"
      id="code_text"
      name="q"
      label={texts.label}
      isLabelHidden
      isTerse
      placeholder={texts.label}
      maxlength={maxSearchLength}
      value={text}
      autofocus={text === ''}
    />
    <Submit>{texts.search}</Submit>
  </Form>
)

/** A text with its occurrences marked. */
const Marked = ({
  text,
  wanted,
  matchesCase,
}: {
  readonly text: string
  readonly wanted: string
  readonly matchesCase: boolean
}) => {
  const lower = matchesCase ? text : text.toLowerCase()
  const sought = matchesCase ? wanted : wanted.toLowerCase()
  // Some letters change their length in lower case; then nothing is marked.
  if (lower.length !== text.length || sought === '') return <>{text}</>
  const parts = []
  let from = 0
  for (let at = lower.indexOf(sought); at !== -1; at = lower.indexOf(sought, from)) {
    parts.push(text.slice(from, at), <mark>{text.slice(at, at + sought.length)}</mark>)
    from = at + sought.length
  }
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  )
}

/** The found files of a repository. */
export const FoundFiles = ({
  repository,
  branch,
  found,
  text,
  matchesCase = false,
  withRepository = false,
}: {
  readonly repository: { readonly owner: { readonly name: string }; readonly repo: { readonly name: string } }
  readonly branch: string
  readonly found: FoundCode
  readonly text: string
  readonly matchesCase?: boolean
  readonly withRepository?: boolean
}) => {
  const name = `${repository.owner.name}/${repository.repo.name}`
  return (
    <>
      {found.files.map((file) => {
        const to = pathOf(repository.owner.name, repository.repo.name, 'src', 'branch', branch, file.path)
        return (
          <Box
            class="found-file"
            head={
              <>
                <Icon name="file-code" />
                {withRepository ? (
                  <Link class="muted" to={pathOf(repository.owner.name, repository.repo.name)}>
                    {name}
                  </Link>
                ) : null}
                <Link class="mono" to={to}>
                  {file.path}
                </Link>
              </>
            }
          >
            <table class="found-lines">
              <tbody>
                {file.lines.map((line) => (
                  <tr>
                    <td class="found-number">
                      <Link to={`${to}#L${line.number}`}>{line.number}</Link>
                    </td>
                    <td>
                      <code>
                        <Marked text={line.text} wanted={text} matchesCase={matchesCase} />
                      </code>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Box>
        )
      })}
    </>
  )
}
