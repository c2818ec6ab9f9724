//! Every type of Arrow, at its extremes, as text and as binary. The texts are those that PostgreSQL 15 writes of the same values.

use std::sync::Arc;

use datafusion::arrow::array::*;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::*;
use pgwire::api::portal::Format;
use pgwire::api::results::FieldFormat;
use pgwire::types::format::FormatOptions;

use super::{Kind, columns, encode, fields, natural, value};

/// What is written of the rows of a column in a format: the bytes of each, `None` for NULL; an error in place of the first that
/// cannot be written.
fn written(column: &ArrayRef, format: &Format) -> Vec<Result<Option<Vec<u8>>, String>> {
    let schema = Schema::new(vec![Field::new("x", column.data_type().clone(), true)]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![Arc::clone(column)]).unwrap();
    let columns = columns(&batch.schema(), format).unwrap();
    let rows = encode(&columns, &FormatOptions::default(), &batch);
    let value = |data: &[u8]| {
        let (length, bytes) = data.split_at(4);
        let length = i32::from_be_bytes(length.try_into().unwrap());
        assert_eq!(usize::try_from(length).unwrap_or_default(), bytes.len());
        (length >= 0).then(|| bytes.to_vec())
    };
    let row = |row: Result<pgwire::messages::data::DataRow, _>| match row {
        Ok(row) => Ok(value(&row.data)),
        Err(error) => {
            let error: pgwire::error::PgWireError = error;
            Err(error.to_string())
        }
    };
    rows.into_iter().map(row).collect()
}

/// Checks the texts of the rows of a column, where `None` is NULL, and that its binary values are read as the texts are.
fn check(column: impl Array + 'static, texts: &[Option<&str>]) {
    let column: ArrayRef = Arc::new(column);
    let data_type = column.data_type().clone();
    let text = written(&column, &Format::UnifiedText);
    let wanted: Vec<_> = texts.iter().map(|it| Ok(it.map(|it| it.as_bytes().to_vec()))).collect();
    assert_eq!(text, wanted, "{data_type}");
    let binary = written(&column, &Format::UnifiedBinary);
    let pg = Kind::of(&data_type).unwrap().pg();
    for (text, binary) in text.into_iter().zip(binary) {
        let (text, binary) =
            (text.unwrap(), binary.unwrap_or_else(|it| panic!("{data_type}: {it}")));
        assert_eq!(text.is_none(), binary.is_none(), "{data_type}");
        // Records are no parameters.
        if natural(&pg).is_some() {
            let [one, other] = [(FieldFormat::Text, &text), (FieldFormat::Binary, &binary)]
                .map(|(format, bytes)| value(&pg, format, bytes.as_deref(), 1).unwrap());
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{data_type}");
        }
    }
}

#[test]
fn numbers() {
    check(BooleanArray::from(vec![Some(true), Some(false), None]), &[Some("t"), Some("f"), None]);
    check(Int8Array::from(vec![i8::MIN, i8::MAX]), &[Some("-128"), Some("127")]);
    check(UInt8Array::from(vec![0, u8::MAX]), &[Some("0"), Some("255")]);
    check(Int16Array::from(vec![Some(i16::MIN), None]), &[Some("-32768"), None]);
    check(UInt16Array::from(vec![u16::MAX]), &[Some("65535")]);
    check(Int32Array::from(vec![i32::MIN, i32::MAX]), &[Some("-2147483648"), Some("2147483647")]);
    check(UInt32Array::from(vec![u32::MAX]), &[Some("4294967295")]);
    check(Int64Array::from(vec![i64::MIN]), &[Some("-9223372036854775808")]);
    check(UInt64Array::from(vec![0, u64::MAX]), &[Some("0"), Some("18446744073709551615")]);
    let floats = Float64Array::from(vec![f64::MAX, 5e-324, -0.0, f64::NAN, f64::NEG_INFINITY]);
    let texts = ["1.7976931348623157e+308", "5e-324", "-0", "NaN", "-Infinity"];
    check(floats, &texts.map(Some));
    let floats = Float32Array::from(vec![f32::MAX, 1e-45, 0.1]);
    check(floats, &["3.4028235e+38", "1e-45", "0.1"].map(Some));
    let half = cast(&Float32Array::from(vec![1.5, 65504.0]), &DataType::Float16).unwrap();
    check(make_array(half.to_data()), &["1.5", "65504"].map(Some));
}

#[test]
fn decimals() {
    let digits = "99999999999999999999999999999999999999";
    let most = Decimal128Array::from(vec![Some(10_i128.pow(38) - 1), Some(-1), None]);
    check(most.with_precision_and_scale(38, 0).unwrap(), &[Some(digits), Some("-1"), None]);
    let most = Decimal128Array::from(vec![1 - 10_i128.pow(38), 1]);
    let texts = [format!("-0.{digits}"), format!("0.{:0>38}", 1)];
    check(most.with_precision_and_scale(38, 38).unwrap(), &[Some(&*texts[0]), Some(&*texts[1])]);
    let thousands = Decimal128Array::from(vec![12, 0]).with_precision_and_scale(5, -3).unwrap();
    check(thousands, &["12000", "0"].map(Some));
    let wide = format!("{digits}{digits}");
    let number = i256::from_string(&wide).unwrap();
    let most = Decimal256Array::from(vec![number]).with_precision_and_scale(76, 0).unwrap();
    check(most, &[Some(&*wide)]);
    check(
        Decimal32Array::from(vec![-12345]).with_precision_and_scale(9, 2).unwrap(),
        &[Some("-123.45")],
    );
    check(
        Decimal64Array::from(vec![10_000]).with_precision_and_scale(18, 4).unwrap(),
        &[Some("1.0000")],
    );
}

#[test]
fn texts_and_bytes() {
    let texts = vec![Some("a'\"\\ä"), Some(""), None];
    let wanted = [Some("a'\"\\ä"), Some(""), None];
    check(StringArray::from(texts.clone()), &wanted);
    check(LargeStringArray::from(texts.clone()), &wanted);
    check(StringViewArray::from(texts.clone()), &wanted);
    check(texts.into_iter().collect::<DictionaryArray<Int8Type>>(), &wanted);
    check(NullArray::new(1), &[None]);
    let bytes: Vec<&[u8]> = vec![b"\x00\xff\\'", b""];
    let wanted = ["\\x00ff5c27", "\\x"].map(Some);
    check(BinaryArray::from(bytes.clone()), &wanted);
    check(LargeBinaryArray::from(bytes.clone()), &wanted);
    check(BinaryViewArray::from(bytes), &wanted);
    let fixed = FixedSizeBinaryArray::try_from_iter([[1_u8, 2]].into_iter()).unwrap();
    check(fixed, &[Some("\\x0102")]);
    let ends = Int32Array::from(vec![2]);
    let runs = RunArray::try_new(&ends, &StringArray::from(vec!["a"])).unwrap();
    check(runs, &["a", "a"].map(Some));
}

#[test]
fn dates_and_times() {
    let days = Date32Array::from(vec![Some(0), Some(-719_162), Some(2_932_896), None]);
    check(days, &[Some("1970-01-01"), Some("0001-01-01"), Some("9999-12-31"), None]);
    check(Date64Array::from(vec![86_400_000]), &[Some("1970-01-02")]);
    check(Time32SecondArray::from(vec![0, 86_399]), &["00:00:00", "23:59:59"].map(Some));
    check(Time32MillisecondArray::from(vec![1_500]), &[Some("00:00:01.5")]);
    check(Time64MicrosecondArray::from(vec![1]), &[Some("00:00:00.000001")]);
    check(Time64NanosecondArray::from(vec![1_001]), &[Some("00:00:00.000001")]);
    check(TimestampSecondArray::from(vec![0]), &[Some("1970-01-01 00:00:00")]);
    check(TimestampMillisecondArray::from(vec![-1]), &[Some("1969-12-31 23:59:59.999")]);
    let moments = TimestampMicrosecondArray::from(vec![Some(100), None]);
    check(moments, &[Some("1970-01-01 00:00:00.0001"), None]);
    let moments = TimestampNanosecondArray::from(vec![i64::MAX]);
    check(moments, &[Some("2262-04-11 23:47:16.854775")]);
    let moments = TimestampSecondArray::from(vec![0]).with_timezone("Europe/Berlin");
    check(moments, &[Some("1970-01-01 00:00:00+00")]);
    let too_late: ArrayRef = Arc::new(Date32Array::from(vec![0, i32::MAX, 1]));
    for format in [Format::UnifiedText, Format::UnifiedBinary] {
        let rows = written(&too_late, &format);
        assert!(rows[0].is_ok(), "{rows:?}");
        if format.is_text(0) {
            assert!(
                rows.len() == 2 && rows[1].as_ref().is_err_and(|it| it.contains("the column x"))
            );
        }
    }
    let too_early: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![i64::MIN]));
    assert!(written(&too_early, &Format::UnifiedBinary)[0].is_err());
    assert!(written(&too_early, &Format::UnifiedText)[0].is_err());
}

#[test]
fn intervals() {
    let all = IntervalMonthDayNanoArray::from(vec![
        Some(IntervalMonthDayNano::new(14, 3, 14_706_789_000_000)),
        Some(IntervalMonthDayNano::new(0, -1, 0)),
        Some(IntervalMonthDayNano::new(0, 0, 0)),
        None,
    ]);
    let texts =
        [Some("1 year 2 mons 3 days 04:05:06.789"), Some("-1 days"), Some("00:00:00"), None];
    check(all, &texts);
    check(IntervalYearMonthArray::from(vec![Some(13), None]), &[Some("1 year 1 mon"), None]);
    check(
        IntervalDayTimeArray::from(vec![IntervalDayTime::new(1, 1_500)]),
        &[Some("1 day 00:00:01.5")],
    );
    check(DurationSecondArray::from(vec![Some(90), None]), &[Some("00:01:30"), None]);
    check(DurationMillisecondArray::from(vec![1]), &[Some("00:00:00.001")]);
    check(DurationMicrosecondArray::from(vec![-1]), &[Some("-00:00:00.000001")]);
    check(DurationNanosecondArray::from(vec![3_600_000_000_000]), &[Some("01:00:00")]);
}

#[test]
fn lists_and_structs() {
    let lists = || {
        ListArray::from_iter_primitive::<UInt64Type, _, _>([
            Some(vec![Some(1), None, Some(u64::MAX)]),
            Some(vec![]),
            None,
        ])
    };
    let wanted = [Some("{1,NULL,18446744073709551615}"), Some("{}"), None];
    check(lists(), &wanted);
    let field = Arc::new(Field::new_list_field(DataType::UInt64, true));
    check(
        make_array(cast(&lists(), &DataType::LargeList(Arc::clone(&field))).unwrap().to_data()),
        &wanted,
    );
    check(make_array(cast(&lists(), &DataType::ListView(field)).unwrap().to_data()), &wanted);
    let pairs = FixedSizeListArray::from_iter_primitive::<Int8Type, _, _>(
        [Some([Some(1), Some(2)]), None],
        2,
    );
    check(pairs, &[Some("{1,2}"), None]);
    let mut words = ListBuilder::new(StringBuilder::new());
    for word in ["a b", "", "NULL", "q\"\\", "{", "ä"] {
        words.values().append_value(word);
    }
    words.append(true);
    check(words.finish(), &[Some("{\"a b\",\"\",\"NULL\",\"q\\\"\\\\\",\"{\",ä}")]);
    let mut nested = ListBuilder::new(ListBuilder::new(Int32Builder::new()));
    for row in [[1, 2], [3, 4]] {
        nested.values().values().append_slice(&row);
        nested.values().append(true);
    }
    nested.append(true);
    check(nested.finish(), &[Some("{{1,2},{3,4}}")]);
    for length in [1, 3] {
        nested.values().values().append_slice(&vec![0; length]);
        nested.values().append(true);
    }
    nested.append(true);
    let ragged: ArrayRef = Arc::new(nested.finish());
    for format in [Format::UnifiedText, Format::UnifiedBinary] {
        assert!(written(&ragged, &format)[0].as_ref().is_err_and(|it| it.contains("unnest")));
    }
    let parts: Vec<(FieldRef, ArrayRef)> = vec![
        (
            Arc::new(Field::new("a", DataType::UInt8, true)),
            Arc::new(UInt8Array::from(vec![Some(1), None])),
        ),
        (
            Arc::new(Field::new("b", DataType::Utf8View, true)),
            Arc::new(StringViewArray::from(vec!["x y\"", ""])),
        ),
    ];
    let records = StructArray::from(parts);
    check(records, &["(1,\"x y\"\"\")", "(,\"\")"].map(Some));
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    map.keys().append_value("k");
    map.values().append_value(7);
    map.append(true).unwrap();
    check(map.finish(), &[Some("{\"(k,7)\"}")]);
}

#[test]
fn a_binary_record_has_the_types_of_its_parts() {
    let parts: Vec<(FieldRef, ArrayRef)> = vec![(
        Arc::new(Field::new("a", DataType::Boolean, true)),
        Arc::new(BooleanArray::from(vec![true])),
    )];
    let record: ArrayRef = Arc::new(StructArray::from(parts));
    let bytes = [0, 0, 0, 1, 0, 0, 0, 16, 0, 0, 0, 1, 1];
    assert_eq!(written(&record, &Format::UnifiedBinary), [Ok(Some(bytes.to_vec()))]);
}

#[test]
fn columns_say_their_digits_and_what_has_no_type_is_refused() {
    let of = |data_type: DataType| {
        let schema = Schema::new(vec![Field::new("x", data_type, true)]);
        columns(&schema, &Format::UnifiedText).map(|columns| fields(&columns).remove(0))
    };
    assert_eq!(of(DataType::UInt64).unwrap().type_modifier(), (20 << 16) + 4);
    assert_eq!(of(DataType::Decimal128(24, 4)).unwrap().type_modifier(), (24 << 16) + 4 + 4);
    assert_eq!(of(DataType::Int64).unwrap().type_modifier(), -1);
    let union = UnionFields::try_new([0], [Field::new("a", DataType::Int8, true)]).unwrap();
    let error = of(DataType::Union(union, UnionMode::Sparse)).unwrap_err().to_string();
    assert!(error.contains("the column x"), "{error}");
}
