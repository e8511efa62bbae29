{{- define "foveal.labels" -}}
app.kubernetes.io/name: foveal
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "foveal.env" -}}
- name: FOVEAL_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.database.secretName }}
      key: {{ .Values.database.secretKey }}
{{- if .Values.redis.secretName }}
- name: FOVEAL_REDIS
  valueFrom:
    secretKeyRef:
      name: {{ .Values.redis.secretName }}
      key: {{ .Values.redis.secretKey }}
- name: FOVEAL_REDIS_PREFIX
  value: {{ .Values.redis.prefix | quote }}
{{- end }}
{{- range $name, $value := .Values.config }}
- name: FOVEAL_{{ $name | upper }}
  value: {{ if kindIs "map" $value }}{{ $value | toJson | quote }}{{ else }}{{ $value | quote }}{{ end }}
{{- end }}
{{- end }}
