import type { Services } from '../access/context.ts'
import { examine } from '../admin/doctor/doctor.service.ts'
import { allDoctorChecks } from '../app.ts'

/** Returns the findings of `ingot doctor` as `check: what (state)`, of all checks or the named ones. */
export async function examined(
  services: Services,
  options: { readonly fix?: boolean; readonly takeReferences?: boolean; readonly only?: readonly string[] } = {},
): Promise<string[]> {
  const { fix = false, takeReferences = false, only } = options
  const checks = allDoctorChecks().filter(({ name }) => only?.includes(name) ?? true)
  const found: string[] = []
  for await (const { check, findings } of examine(services, checks, { fix, takeReferences })) {
    found.push(...findings.map(({ what, state }) => `${check.name}: ${what} (${state})`))
  }
  return found
}
