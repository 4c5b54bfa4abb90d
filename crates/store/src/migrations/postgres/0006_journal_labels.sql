-- Documents that cannot be read name no labels.
CREATE FUNCTION task_document(document VARCHAR) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  RETURN document::json;
EXCEPTION WHEN OTHERS THEN
  RETURN '{}'::json;
END
$$;
INSERT INTO label_tasks (ws, label_id, task_id, reach)
SELECT d.ws, l.label, d.id,
  CASE WHEN d.document->>'private' = 'true' THEN '1' ELSE '0' END
    || COALESCE(d.document->>'categoryId', '')
FROM (SELECT ws, id, task_document(serialized) AS document FROM journal WHERE type = 'task') d,
  json_array_elements_text(d.document->'labelIds') AS l(label)
ON CONFLICT (ws, label_id, task_id) DO NOTHING;
DROP FUNCTION task_document(VARCHAR);
