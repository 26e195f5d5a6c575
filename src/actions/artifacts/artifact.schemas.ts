import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, requestObject } from '../../http/schema.ts'

const text = Type.Optional(Type.String())
const number = Type.Optional(Type.Union([Type.String(), Type.Integer()]))

/** The request of the artifact service. Clients write member names in snake case or camel case. */
export const ArtifactCall = requestObject('ActionsArtifactCall', {
  workflow_run_backend_id: text,
  workflowRunBackendId: text,
  name: text,
  size: number,
  hash: Type.Optional(nullable(Type.String())),
  mime_type: Type.Optional(nullable(Type.String())),
  mimeType: Type.Optional(nullable(Type.String())),
  expires_at: text,
  expiresAt: text,
  name_filter: text,
  nameFilter: text,
  id_filter: number,
  idFilter: number,
})

export const ArtifactUpload = object('ActionsArtifactUpload', { ok: Type.Boolean(), signedUploadUrl: Type.String() })
export const ArtifactMade = object('ActionsArtifactMade', { ok: Type.Boolean(), artifactId: Type.String() })
export const ArtifactSigned = object('ActionsArtifactSigned', { signedUrl: Type.String() })
export const ArtifactList = object('ActionsArtifactList', {
  artifacts: Type.Array(
    object('ActionsArtifactEntry', {
      workflowRunBackendId: Type.String(),
      workflowJobRunBackendId: Type.String(),
      databaseId: Type.String(),
      name: Type.String(),
      size: Type.String(),
      createdAt: Type.String(),
    }),
  ),
})

export const RunArtifacts = object('ActionsRunArtifacts', {
  artifacts: Type.Array(
    object('ActionsRunArtifact', { name: Type.String(), size: Type.Integer(), status: Type.String() }),
  ),
})

export const ActionArtifact = object('ActionArtifact', {
  id: Type.Integer(),
  name: Type.String(),
  size_in_bytes: Type.Integer(),
  url: Type.String(),
  archive_download_url: Type.String(),
  expired: Type.Boolean(),
  workflow_run: object('ActionArtifactRun', {
    id: Type.Integer(),
    repository_id: Type.Integer(),
    head_sha: Type.String(),
  }),
  created_at: dateTime(),
  updated_at: dateTime(),
  expires_at: dateTime(),
})
export type ActionArtifact = Static<typeof ActionArtifact>

export const ActionArtifactsResponse = object('ActionArtifactsResponse', {
  artifacts: Type.Array(ActionArtifact),
  total_count: Type.Integer(),
})
