import { workflowBadgePath, workflowPath } from './actions-paths.ts'
import type { ListedWorkflow } from '../../actions/workflows/workflow-list.service.ts'
import { inputOfWrongType } from '../../actions/dispatches/dispatch.rules.ts'
import type { DispatchInput } from '../../actions/workflows/workflow.parse.ts'
import { ActButton, Submit } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { formScope } from '../ui/form-state.ts'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { usePage } from '../ui/page-context.ts'
import { CopyField, Menu } from '../ui/parts.tsx'
import { siteHref } from '../ui/paths.ts'
import { actionsPath } from './actions-paths.ts'
import { actionsTexts } from '../languages/texts.ts'
import type { WorkflowsProps } from './workflows-props.ts'

const texts = actionsTexts.list

type Props = WorkflowsProps & { readonly workflow: ListedWorkflow }

/** Badge, switch and start of one workflow. */
export function WorkflowActs(props: Props) {
  const { workflow, may } = props
  const { id, parsed } = workflow.file
  const isDispatched = parsed.ok && parsed.workflow.triggers.some(({ event }) => event === 'workflow_dispatch')
  return (
    <>
      <BadgeMenu {...props} />
      {may.configure ? (
        <ActButton
          to={workflowPath(props, id, workflow.isDisabled ? 'enable' : 'disable')}
          icon={workflow.isDisabled ? 'check' : 'no-entry'}
        >
          {workflow.isDisabled ? texts.enable : texts.disable}
        </ActButton>
      ) : null}
      {may.run && isDispatched ? <DispatchMenu {...props} inputs={parsed.workflow.inputs} /> : null}
    </>
  )
}

function BadgeMenu(props: Props) {
  const { config } = usePage()
  const { id } = props.workflow.file
  const root = config.server.rootUrl.slice(0, -1)
  const badge = workflowBadgePath(props, id)
  const markdown = `[![${id.replaceAll(/[[\]]/g, '')}](${root}${badge})](${root}${actionsPath(props, { workflow: id })})`
  return (
    <Menu
      align="end"
      class="badge-menu"
      label={
        <>
          <Icon name="shield" />
          {texts.badge}
        </>
      }
    >
      <div class="menu-form stack tight">
        <p>
          <img src={siteHref(config, badge)} alt="" height={20} loading="lazy" />
        </p>
        <CopyField text={markdown} label={texts.badgeLabel} />
        <p class="hint">{texts.badgeHint}</p>
      </div>
    </Menu>
  )
}

const DispatchMenu = (props: Props & { readonly inputs: readonly DispatchInput[] }) => {
  const to = workflowPath(props, props.workflow.file.id, 'dispatch')
  const { refused } = usePage()
  return (
    <Menu
      align="end"
      kind="primary"
      class="dispatch-menu"
      isOpen={refused?.action === to}
      label={
        <>
          <Icon name="play" />
          {texts.dispatch}
        </>
      }
    >
      <Form to={to} hidden={{ workflow: props.workflow.file.id }} class="menu-form stack">
        <Field name="ref" label={texts.dispatchRef} value={props.repo.default_branch} required list="dispatch-refs" />
        <datalist id="dispatch-refs">
          {props.facets.branches
            .filter((branch) => !branch.startsWith('#'))
            .map((branch) => (
              <option value={branch} />
            ))}
        </datalist>
        {/* A first pair, so that one input is sent as a list too. */}
        <input type="hidden" name="name" value="" />
        <input type="hidden" name="value" value="" />
        <Inputs inputs={props.inputs} />
        {props.inputs.length === 0 ? null : <p class="hint">{texts.dispatchOnOther}</p>}
        <div class="form-acts">
          <Submit icon="play">{texts.dispatchStart}</Submit>
        </div>
      </Form>
    </Menu>
  )
}

/** The inputs, with what was sent and the problem of the first wrong one when the form was refused. */
function Inputs({ inputs }: { readonly inputs: readonly DispatchInput[] }) {
  const { problem, values, whenShown } = formScope.current()
  const sent = sentInputs(values)
  const isInputWrong = problem?.field === 'inputs'
  const missing = isInputWrong ? inputs.find((input) => isMissing(input, sent)) : undefined
  const wrong = missing ?? (isInputWrong ? inputOfWrongType(inputs, sent) : undefined)
  const message = missing ? texts.missingInput : (problem?.message ?? '')
  return (
    <>
      {inputs.map((input, at) => (
        <formScope.Within
          value={{
            values: Object.hasOwn(sent, input.name) ? { value: sent[input.name] } : {},
            problem: input === wrong ? { field: 'value', message } : undefined,
            whenShown,
          }}
        >
          <input type="hidden" name="name" value={input.name} />
          <InputField input={input} id={`input_${at}`} />
        </formScope.Within>
      ))}
    </>
  )
}

const isMissing = ({ name, isRequired, fallback }: DispatchInput, sent: Readonly<Record<string, string>>): boolean =>
  isRequired && fallback === '' && Object.hasOwn(sent, name) && sent[name] === ''

/** Returns the sent inputs by name; their names and values are two lists. */
function sentInputs({ name: names, value }: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  if (!Array.isArray(names) || !Array.isArray(value)) return {}
  return Object.fromEntries(names.map((name, at) => [String(name), String(value[at] ?? '')]))
}

/** One input by its type. */
function InputField({ input, id }: { readonly input: DispatchInput; readonly id: string }) {
  const { name, description, type, isRequired, fallback, options } = input
  const common = { name: 'value', id, label: description || name }
  if (type === 'boolean') {
    return (
      <Select
        {...common}
        value={fallback === 'true' ? 'on' : 'off'}
        choices={[
          { value: 'on', label: texts.yes },
          { value: 'off', label: texts.no },
        ]}
      />
    )
  }
  if (type === 'choice' && options.length > 0) {
    return (
      <Select
        {...common}
        value={fallback}
        required={isRequired}
        choices={[
          ...(isRequired || fallback !== '' ? [] : [{ value: '', label: texts.noChoice }]),
          ...options.map((value) => ({ value, label: value })),
        ]}
      />
    )
  }
  return (
    <Field
      {...common}
      type={type === 'number' ? 'number' : 'text'}
      value={fallback}
      required={isRequired && fallback === ''}
    />
  )
}
