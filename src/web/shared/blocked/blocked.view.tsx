import type { UserRow } from '../../../db/tables/accounts.ts'
import type { Unix } from '../../../lib/time.ts'
import { ActButton, Submit } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { PageHead, Pages } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { PersonField } from '../../ui/person-field.tsx'
import { Person } from '../../ui/person.tsx'
import { Time } from '../../ui/time.tsx'
import { blockedTexts as texts } from '../../languages/texts.ts'

/**
 * The people that an account or organization blocks.
 * @param path address of the page below the site root; the form to unblock is at `…/unblock`
 */
export const BlockedView = ({
  people,
  path,
  lead,
  total,
  page,
  pageSize,
}: {
  readonly people: readonly { readonly person: UserRow; readonly blockedUnix: Unix }[]
  readonly path: string
  readonly lead: string
  readonly total: number
  readonly page: number
  readonly pageSize: number
}) => (
  <>
    <PageHead title={texts.title} lead={lead} />
    <Form to={path} class="fields-row">
      <PersonField name="name" id="name" label={texts.name} required />
      <Submit kind="plain">{texts.block}</Submit>
    </Form>
    <RowBox rows={people} none={texts.none}>
      {({ person, blockedUnix }) => (
        <li class="row">
          <div class="row-main line">
            <Person person={person} size={24} />
            <span class="row-facts">
              <span>
                {texts.since}
                <Time unix={blockedUnix} />
              </span>
            </span>
          </div>
          <ActButton
            to={`${path}/unblock`}
            hidden={{ name: person.name }}
            class="small"
            aria-label={texts.unblockOf(person.name)}
          >
            {texts.unblock}
          </ActButton>
        </li>
      )}
    </RowBox>
    <Pages page={page} total={total} pageSize={pageSize} />
  </>
)
