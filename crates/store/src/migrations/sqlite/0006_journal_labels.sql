-- Documents that cannot be read name no labels.
INSERT INTO label_tasks (ws, label_id, task_id, reach)
SELECT d.ws, l.value, d.id,
  CASE WHEN json_extract(d.document, '$.private') THEN '1' ELSE '0' END
    || COALESCE(json_extract(d.document, '$.categoryId'), '')
FROM (SELECT ws, id, CASE WHEN json_valid(serialized) THEN serialized ELSE '{}' END AS document
      FROM journal WHERE type = 'task') d,
  json_each(d.document, '$.labelIds') l
WHERE true
ON CONFLICT (ws, label_id, task_id) DO NOTHING;
